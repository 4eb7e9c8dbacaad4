import type { McpClient } from './mcp-client.ts'

/** It signs its token request where the metadata offers `private_key_jwt`, and is a public client elsewhere. */
export const chatGpt: McpClient = {
  name: 'ChatGPT',
  version: 'web',
  date: '2026-09-18',
  source:
    'logto-io/logto#9627 (authorization); django-oauth/django-oauth-toolkit#1845 (document, 2026-08-26). Its token requests are not published',
  redirectUri: 'https://chatgpt.com/connector_platform_oauth_redirect',
  document: {
    client_id: 'https://chatgpt.com/oauth/client.json',
    client_uri: 'https://chatgpt.com/',
    redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    client_name: 'ChatGPT',
    logo_uri: 'https://persistent.oaistatic.com/sonic/misc/openai-logo.png',
    token_endpoint_auth_signing_alg: 'RS256',
    jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
  },
  reads: { serverMetadata: ['authorization_response_iss_parameter_supported'], callback: ['iss'] },
  requests: {
    authorization:
      '{authorization_endpoint}?response_type=code&client_id={client_id}&redirect_uri={redirect_uri}&scope={scopes_supported}&code_challenge={code_challenge}&code_challenge_method=S256&resource={resource}&state={state}&ui_locales=en-US',
  },
}
