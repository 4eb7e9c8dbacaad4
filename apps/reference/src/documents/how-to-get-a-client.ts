/**
 * A section of the walkthrough.
 *
 * @param registrationEndpoint absent if no client registers itself
 * @param methods of client authentication, for readers
 */
export function howToGetAClient(registrationEndpoint: string | undefined, methods: string): string {
  if (registrationEndpoint === undefined) return arranged(methods)
  return `## 2. Register

Open to every client whose redirect URIs are loopback addresses, \`http://127.0.0.1:<port>/<path>\`. A fixed https callback is
refused with \`invalid_redirect_uri\`; such an integration is arranged with the operator. At the authorization the port
may be another one.

\`\`\`sh
REDIRECT_URI=http://127.0.0.1:8123/callback
REGISTRATION=$(curl -sS ${registrationEndpoint} \\
  -H 'Content-Type: application/json' \\
  -d '{"client_name":"My tool","application_type":"native","redirect_uris":["'$REDIRECT_URI'"],"token_endpoint_auth_method":"none"}')
CLIENT_ID=$(printf %s "$REGISTRATION" | sed 's/.*"client_id":"\\([^"]*\\)".*/\\1/')
echo "$CLIENT_ID"
\`\`\`

Token endpoint authentication: ${methods}. A client that nobody allows anything is forgotten
after a while. \`invalid_client\` then means: register again.`
}

function arranged(methods: string): string {
  return `## 2. Get a client

No client registers itself here. The operator adds each one, with its redirect URIs, and gives you its \`client_id\`. A confidential
one gets a \`client_secret\` too, and sends it with every request to the token endpoint.

\`\`\`sh
REDIRECT_URI=http://127.0.0.1:8123/callback
read -r CLIENT_ID
\`\`\`

Token endpoint authentication: ${methods}.`
}
