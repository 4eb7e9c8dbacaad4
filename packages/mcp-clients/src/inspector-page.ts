import { inspector } from './inspector.ts'
import type { McpClient } from './mcp-client.ts'

/** It was challenged by a server that names a scope. What it sends besides is as from the command line. */
export const inspectorPage: McpClient = {
  ...inspector,
  name: "MCP Inspector's page",
  source: 'its requests to an MCP server on Grantkit whose challenge names a scope',
  tried:
    'in both protocols: signs in, and asks for more when a tool needs it; its user then calls the tool again',
  requests: {
    ...inspector.requests,
    registration: `
POST {registration_endpoint}
Content-Type: application/json
accept: */*
user-agent: node

{"redirect_uris":["{redirect_uri}"],"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"client_name":"MCP Inspector","client_uri":"https://github.com/modelcontextprotocol/inspector","scope":"{scope}","application_type":"native"}`,
    authorization:
      '{authorization_endpoint}?response_type=code&client_id={client_id}&code_challenge={code_challenge}&code_challenge_method=S256&redirect_uri={redirect_uri}&state={state}&scope={scope}&resource={resource}',
    call: `
POST {resource}
Authorization: Bearer {access_token}
content-type: application/json
accept: application/json, text/event-stream
user-agent: node

{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}},"extensions":{"io.modelcontextprotocol/tasks":{},"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"],"elicitation":{}},"io.modelcontextprotocol/skills":{}}},"clientInfo":{"name":"mcp-inspector","version":"2.12.0"}},"jsonrpc":"2.0","id":0}`,
    toolCall: `
POST {resource}
Authorization: Bearer {access_token}
mcp-protocol-version: 2025-11-25
content-type: application/json
accept: application/json, text/event-stream
user-agent: node

{"method":"tools/call","params":{"name":"{tool}","arguments":{arguments},"_meta":{"progressToken":2}},"jsonrpc":"2.0","id":2}`,
  },
}
