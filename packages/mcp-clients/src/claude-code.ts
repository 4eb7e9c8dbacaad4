import type { McpClient } from './mcp-client.ts'
import { publishedDocument } from './published-document.ts'

export const claudeCode: McpClient = {
  name: 'Claude Code',
  version: '2.1.330',
  date: '2026-11-22',
  source:
    'its requests to two MCP servers on Grantkit; the document as published in August to October 2026 (anthropics/claude-code#37747, #64705)',
  tried:
    'by registration: signs in, refreshes, signs out; says that a tool needs more scopes, and asks for them at the next sign-in; asks for no scope where the resource lists none',
  known: 'claude-code',
  redirectUri: 'http://localhost:{port}/callback',
  document: publishedDocument('https://claude.ai/oauth/claude-code-client-metadata'),
  reads: { registration: ['redirect_uris'] },
  requests: {
    resourceMetadata: `
GET {resource_metadata}
MCP-Protocol-Version: 2025-11-25
User-Agent: Bun/1.4.4
Accept: */*`,
    serverMetadata: `
GET {server_metadata}
Accept: application/json
MCP-Protocol-Version: 2025-11-25
User-Agent: Bun/1.4.4`,
    registration: `
POST {registration_endpoint}
Content-Type: application/json
User-Agent: Bun/1.4.4
Accept: */*

{"client_name":"Claude Code (service)","redirect_uris":["{redirect_uri}"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none","application_type":"native","scope":"{scopes_supported}"}`,
    authorization:
      '{authorization_endpoint}?response_type=code&client_id={client_id}&code_challenge={code_challenge}&code_challenge_method=S256&redirect_uri={redirect_uri}&state={state}&scope={scopes_supported}&resource={resource}',
    token: `
POST {token_endpoint}
Accept: application/json
Content-Type: application/x-www-form-urlencoded
User-Agent: Bun/1.4.4

grant_type=authorization_code&code={code}&code_verifier={code_verifier}&redirect_uri={redirect_uri}&resource={resource}&client_id={client_id}`,
    refresh: `
POST {token_endpoint}
Accept: application/json
Content-Type: application/x-www-form-urlencoded
User-Agent: Bun/1.4.4

grant_type=refresh_token&refresh_token={refresh_token}&resource={resource}&client_id={client_id}`,
    revocation: [
      `
POST {revocation_endpoint}
Accept: application/json, text/plain, */*
Content-Type: application/x-www-form-urlencoded
User-Agent: axios/1.15.2

token={refresh_token}&token_type_hint=refresh_token&client_id={client_id}`,
      `
POST {revocation_endpoint}
Accept: application/json, text/plain, */*
Content-Type: application/x-www-form-urlencoded
User-Agent: axios/1.15.2

token={access_token}&token_type_hint=access_token&client_id={client_id}`,
    ],
    call: `
POST {resource}
Accept: application/json, text/event-stream
Authorization: Bearer {access_token}
Content-Type: application/json
User-Agent: claude-code/2.1.330 (sdk-cli)
mcp-method: server/discover
mcp-protocol-version: 2026-07-28

{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"claude-code","title":"Claude Code","version":"2.1.330","description":"Anthropic's agentic coding tool","websiteUrl":"https://claude.com/claude-code"},"io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}}}}}`,
    toolCall: `
POST {resource}
Accept: application/json, text/event-stream
Authorization: Bearer {access_token}
Content-Type: application/json
User-Agent: claude-code/2.1.330 (sdk-cli)
mcp-method: tools/call
mcp-name: {tool}
mcp-protocol-version: 2026-07-28

{"method":"tools/call","params":{"name":"{tool}","arguments":{arguments},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"claude-code","title":"Claude Code","version":"2.1.330","description":"Anthropic's agentic coding tool","websiteUrl":"https://claude.com/claude-code"},"io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}},"claudecode/toolUseId":"toolu_1","progressToken":1}},"jsonrpc":"2.0","id":1}`,
  },
}
