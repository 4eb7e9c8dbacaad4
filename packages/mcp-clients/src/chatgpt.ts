import type { McpClient } from './mcp-client.ts'
import { publishedDocument } from './published-document.ts'

/** It signs its token request where the metadata offers `private_key_jwt`, and is a public client elsewhere. */
export const chatGpt: McpClient = {
  name: 'ChatGPT',
  version: 'web',
  date: '2026-09-18',
  source:
    'logto-io/logto#9627 (authorization); django-oauth/django-oauth-toolkit#1845 (document, 2026-08-26). Its token requests are not published',
  known: 'chatgpt',
  redirectUri: 'https://chatgpt.com/connector_platform_oauth_redirect',
  document: publishedDocument('https://chatgpt.com/oauth/client.json'),
  reads: { serverMetadata: ['authorization_response_iss_parameter_supported'], callback: ['iss'] },
  requests: {
    authorization:
      '{authorization_endpoint}?response_type=code&client_id={client_id}&redirect_uri={redirect_uri}&scope={scopes_supported}&code_challenge={code_challenge}&code_challenge_method=S256&resource={resource}&state={state}&ui_locales=en-US',
  },
}
