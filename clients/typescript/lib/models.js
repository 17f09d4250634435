/** The documents of the API that the client names; `Schemas` has them all. */
export {};
