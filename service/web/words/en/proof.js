/** The checks of a proof speak English: their sentences need no other words. @type {Record<string, string>} */
export default {};
