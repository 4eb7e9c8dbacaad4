/**
 * The client for the tests of your server, for any test runner.
 *
 * @module
 */
export type { Answer, Approval, Tokens } from './client/answer.ts'
export { type Browser, formBrowser, type UserAnswer } from './client/browser.ts'
export type { TestClientOptions } from './client/client-options.ts'
export type { ConnectionOptions, Endpoints } from './client/connection.ts'
export { formOfPage } from './client/consent-form.ts'
export { type Fields, formEncoded, type Overrides } from './client/fields.ts'
export { registerClient, testClient } from './client/register.ts'
export { type ClientRequest, inProcess, overFetch, type Send } from './client/send.ts'
export { alwaysSignedIn } from './client/signed-in.ts'
export type { TestClient } from './client/test-client.ts'
