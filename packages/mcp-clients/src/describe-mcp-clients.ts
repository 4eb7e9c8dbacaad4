import { afterAll, beforeAll, describe, it } from 'vitest'
import { closedWaysOf } from './closed-ways.ts'
import { Installation } from './installation.ts'
import type { McpClient } from './mcp-client.ts'
import { mcpClients } from './mcp-clients.ts'
import type { McpServerUnderTest } from './mcp-server-under-test.ts'
import type { DescribeMcpClientsOptions } from './options.ts'
import { refreshPromises } from './refresh.ts'
import { signInPromises, signOutPromises } from './sign-in.ts'
import { stepUpPromises } from './step-up.ts'
import { type Way, waysOf } from './ways.ts'

/**
 * Tests that the MCP clients that people use can sign in: each sends the requests that it was seen to send, and reads of
 * the answers what it needs. Call it at the top level of a test file.
 *
 * @param name the name of the server in reports
 * @param start starts the server; it runs once
 */
export function describeMcpClients(
  name: string,
  start: () => Promise<McpServerUnderTest>,
  options: DescribeMcpClientsOptions = {},
): void {
  describe(`MCP clients at ${name}`, () => {
    let server: McpServerUnderTest
    beforeAll(async () => {
      server = await start()
    })
    afterAll(() => server?.close?.())

    const promises = (client: McpClient, way: Way) => {
      const [redirectUri, ...otherRedirectUris] = way.redirectUris
      const introduced = async (uri = redirectUri) => {
        const app = new Installation(client, server, uri)
        await way.introduce(app)
        return app
      }
      describe(`${client.name} ${client.version}, ${way.name},`, () => {
        signInPromises(client, introduced, { ...options, otherRedirectUris })
        stepUpPromises(client, introduced)
        refreshPromises(client, introduced, options)
        signOutPromises(client, introduced)
      })
    }
    for (const client of options.clients ?? mcpClients) {
      const ways = waysOf(client, options)
      for (const way of ways) promises(client, way)
      for (const { name, check } of closedWaysOf(client, ways))
        it(`${client.name} ${client.version} ${name}`, () => check(new Installation(client, server)))
    }
  })
}
