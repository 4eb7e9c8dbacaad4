import { expect } from 'vitest'
import type { Installation } from './installation.ts'
import type { McpClient } from './mcp-client.ts'
import { discover, type Way } from './ways.ts'

/** What the server does with a client that it does not serve: such a client is reported, not left out. */
export interface ClosedWay {
  readonly name: string
  check(app: Installation): Promise<void>
}

const REGISTRATION: ClosedWay = {
  name: 'gets an error at registration',
  async check(app) {
    await discover(app)
    expect(await app.register(), 'or set the option known').toMatchObject({
      status: 400,
      error: expect.any(String),
    })
  },
}

const DOCUMENT: ClosedWay = {
  name: 'does not sign in, since its document is not supported',
  async check(app) {
    const { client_id_metadata_document_supported = false } = await discover(app)
    expect(client_id_metadata_document_supported, 'the option documents is missing').toBe(false)
  },
}

const OPERATOR: ClosedWay = {
  name: 'does not sign in until the operator adds it',
  async check({ server }) {
    expect(server.add, 'the option added is missing').toBeUndefined()
  },
}

/** @param ways in which the client signs in */
export function closedWaysOf(
  { document, requests: { registration } }: McpClient,
  ways: readonly Way[],
): readonly ClosedWay[] {
  if (ways.length > 0) return []
  if (registration !== undefined) return [REGISTRATION]
  return [document === undefined ? OPERATOR : DOCUMENT]
}
