// Behind a proxy only the browser knows the path that the service is reached at.
const servers = [{ url: new URL(".", location).pathname }];

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
  plugins: [
    {
      statePlugins: {
        spec: { wrapActions: { updateJsonSpec: (update) => (document) => update({ ...document, servers }) } },
      },
    },
  ],
});
