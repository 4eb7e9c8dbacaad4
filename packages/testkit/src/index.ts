/**
 * A client for the tests of your server, and vitest suites that test the promises of a store and of an adapter, and
 * the sign-in of MCP clients.
 *
 * @module
 */
export type { Answer, Approval, RegisteredClient, Tokens } from './client/answer.ts'
export { type Browser, type FormBrowserOptions, formBrowser, type UserAnswer } from './client/browser.ts'
export type { TestClientOptions } from './client/client-options.ts'
export type { ConnectionOptions, Endpoints } from './client/connection.ts'
export { type ConsentForm, formOfPage } from './client/consent-form.ts'
export { type Fields, formEncoded, type Overrides } from './client/fields.ts'
export { registerClient, testClient } from './client/register.ts'
export { type ClientRequest, inProcess, overFetch, type Send, type ServerUnderTest } from './client/send.ts'
export type { TestClient } from './client/test-client.ts'
export { describeAdapter, type Mount, type Mounted } from './describe-adapter.ts'
export { describeDocumentFetch } from './describe-document-fetch.ts'
export { describeMcpClients } from './describe-mcp-clients.ts'
export {
  type CreateStore,
  type DescribeStoreOptions,
  describeStore,
  type StoreUnderTest,
} from './describe-store.ts'
export type { CreateDocumentFetch, DocumentFetchUnderTest } from './document-fetch/bench.ts'
export {
  type Authority,
  type Certificate,
  type CertificateOptions,
  certificateAuthority,
} from './document-fetch/certificates.ts'
export type { McpClient, McpClientRequests } from './mcp-clients/mcp-client.ts'
export { mcpClients } from './mcp-clients/mcp-clients.ts'
export type { McpServerUnderTest } from './mcp-clients/mcp-server-under-test.ts'
export type { DescribeMcpClientsOptions } from './mcp-clients/options.ts'
export { aClient, aGrant, aTransient } from './sample-records.ts'
