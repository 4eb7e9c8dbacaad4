import { expect, it } from 'vitest'
import { expectCalled, expectMissingScopes } from './expectations.ts'
import type { Installation } from './installation.ts'
import type { McpClient } from './mcp-client.ts'
import { type Introduced, signedIn } from './sign-in.ts'

/** A client that lacks a scope asks its user again, with the same id and for more than it registered. */
export function stepUpPromises({ requests }: McpClient, introduced: Introduced): void {
  if (requests.toolCall === undefined) return
  it('gets more scopes when a tool needs them', async () => {
    const app = await introduced()
    const { scope = '' } = await signedIn(app)
    const wider = await widerScope(app, scope)
    expect(namesOf((await signedIn(app, wider)).scope)).toEqual(namesOf(wider))
    if (app.server.tool) expectCalled(await app.callTool())
  })
}

/** The scope that the refused call of a tool names (RFC 6750 3.1); without a tool, what the client would ask for. */
async function widerScope(app: Installation, scope: string): Promise<string> {
  const { tool, laterScope } = app.server
  if (tool === undefined) return `${scope} ${laterScope}`
  const challenge = expectMissingScopes(await app.callTool(), app)
  expect(namesOf(challenge)).toEqual(namesOf(`${scope} ${laterScope}`))
  return challenge
}

const namesOf = (scope = '') => scope.split(' ').sort()
