// The API's description comes from this service; nothing is asked of any other.

// The policy of the page allows only styles that bear its nonce.
const nonce = document.querySelector("meta[property=csp-nonce]").content;
const create = document.createElement.bind(document);
document.createElement = (name, options) => {
  const made = create(name, options);
  if (name === "style") made.nonce = nonce;
  return made;
};

document.addEventListener("DOMContentLoaded", () => {
  Scalar.createApiReference("#api", {
    url: "/openapi.json",
    withDefaultFonts: false,
    telemetry: false,
    persistAuth: false,
    hideClientButton: true,
    showDeveloperTools: "never",
    agent: { disabled: true },
    mcp: { disabled: true },
    documentDownloadType: "direct",
  });
});
