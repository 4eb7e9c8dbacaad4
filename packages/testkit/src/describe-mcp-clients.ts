import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectRegistered, expectResourceMetadata, expectServerMetadata } from './mcp-clients/expectations.ts'
import { Installation, type Members } from './mcp-clients/installation.ts'
import type { McpClient } from './mcp-clients/mcp-client.ts'
import { mcpClients } from './mcp-clients/mcp-clients.ts'
import type { McpServerUnderTest } from './mcp-clients/mcp-server-under-test.ts'
import type { DescribeMcpClientsOptions } from './mcp-clients/options.ts'
import { refreshPromises } from './mcp-clients/refresh.ts'
import { signInPromises, signOutPromises } from './mcp-clients/sign-in.ts'
import { stepUpPromises } from './mcp-clients/step-up.ts'

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

    const promises = (client: McpClient, way: string, introduce: (app: Installation) => Promise<void>) => {
      const introduced = async () => {
        const app = new Installation(client, server)
        await introduce(app)
        return app
      }
      describe(`${client.name} ${client.version}, ${way},`, () => {
        signInPromises(client, introduced, options)
        stepUpPromises(client, introduced)
        refreshPromises(client, introduced, options)
        signOutPromises(client, introduced)
      })
    }
    const { documents = false, refused = [] } = options
    for (const client of mcpClients) {
      if (refused.includes(client.name)) rejection(client, () => new Installation(client, server))
      else if (client.requests.registration) promises(client, 'by registration', register)
      if (documents && client.document) promises(client, 'by its document', useDocument)
    }
  })
}

function rejection({ name, version }: McpClient, install: () => Installation): void {
  it(`${name} ${version} gets an error at registration`, async () => {
    const app = install()
    await discover(app)
    expect(await app.register()).toMatchObject({ status: 400, error: expect.any(String) })
  })
}

async function register(app: Installation): Promise<void> {
  await discover(app)
  expectRegistered(await app.register(), app)
}

async function useDocument(app: Installation): Promise<void> {
  expect(await discover(app)).toMatchObject({ client_id_metadata_document_supported: true })
  app.useDocument()
}

/** From the address of the MCP server to the metadata of its authorization server. */
async function discover(app: Installation): Promise<Members> {
  expectResourceMetadata(await app.resourceMetadata(), app)
  const metadata = await app.serverMetadata()
  expectServerMetadata(metadata, app)
  return metadata
}
