// Behind a proxy only the browser knows the path that the service is reached at.
const servers = [{ url: new URL(".", location).pathname }];

let openapi; // the document
const components = new Map(); // with what they refer to in place, by reference

const at = (path) => path.reduce((value, key) => value[key], openapi);

function component(reference) {
  if (!components.has(reference)) components.set(reference, resolved(at(reference.split("/").slice(1))));
  return components.get(reference);
}

// A value of the document with components in place of the references to them, which $$ref keeps for Swagger UI.
function resolved(value) {
  if (Array.isArray(value)) return value.map(resolved);
  if (Object(value) !== value) return value;
  const { $ref, ...beside } = value;
  const facts = Object.fromEntries(Object.entries(beside).map(([key, fact]) => [key, resolved(fact)]));
  return $ref ? { ...component($ref), $$ref: $ref, ...facts } : facts;
}

// Swagger UI reads JSON as YAML, and has a library resolve references that takes in the whole document each time an
// operation is opened. Together they took more than half of the time to open the page, and seconds for an operation.
const quickly = {
  parseToJson: (_, { specActions }) => (text) => {
    openapi = { ...JSON.parse(text), servers };
    specActions.updateJsonSpec(openapi);
  },
  requestResolvedSubtree: (_, { specActions }) => (path) => {
    const found = resolved(at(path));
    // What came by reference stands for itself; anything else is merged with the document anew at every change.
    specActions.updateResolvedSubtree(path, path[0] === "paths" ? { $$ref: "#", ...found } : found);
  },
};

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  defaultModelsExpandDepth: -1, // each operation shows its own; all of them together would take as long as the rest
  displayRequestDuration: true,
  docExpansion: "list",
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [{ statePlugins: { spec: { wrapActions: quickly } } }],
});
