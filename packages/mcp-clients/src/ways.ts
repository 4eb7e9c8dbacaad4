import { isLoopbackUrl } from '@grantkit/core/feature'
import { expect } from 'vitest'
import { expectRegistered, expectResourceMetadata, expectServerMetadata } from './expectations.ts'
import type { Installation, Members } from './installation.ts'
import type { McpClient } from './mcp-client.ts'
import type { DescribeMcpClientsOptions } from './options.ts'

/** How the server comes to know a client, and at which of its redirect URIs the client can then sign in. */
export interface Way {
  readonly name: string
  readonly redirectUris: readonly string[]
  introduce(app: Installation): Promise<void>
}

/** The ways in which the server says that it knows the client. A client without a redirect URI that it accepts has none. */
export function waysOf(client: McpClient, options: DescribeMcpClientsOptions): readonly Way[] {
  const { documents = false, added = false } = options
  const { registration } = client.requests
  const accepted = acceptedRedirectUris(client, options)
  const ways: readonly (readonly [boolean, Way])[] = [
    [
      registration !== undefined && accepted.length > 0,
      { name: 'by registration', redirectUris: accepted, introduce: register },
    ],
    [
      documents && client.document !== undefined,
      { name: 'by its document', redirectUris: [client.redirectUri], introduce: useDocument },
    ],
    [
      added && registration === undefined && client.document === undefined,
      { name: 'added by the operator', redirectUris: [client.redirectUri], introduce: beAdded },
    ],
  ]
  return ways.filter(([possible]) => possible).map(([, way]) => way)
}

/** Those of its redirect URIs that the server accepts at registration. */
function acceptedRedirectUris(
  { known, redirectUri, redirectUris = [] }: McpClient,
  { known: accepted = [] }: DescribeMcpClientsOptions,
): readonly string[] {
  const all = [...new Set([redirectUri, ...redirectUris])]
  const isKnown = known !== undefined && (accepted === 'all' || accepted.includes(known))
  return isKnown ? all : all.filter(isLoopback)
}

function isLoopback(uri: string): boolean {
  return isLoopbackUrl(uri.replace(':{port}', ''))
}

async function register(app: Installation): Promise<void> {
  await discover(app)
  expectRegistered(await app.register(), app)
}

async function useDocument(app: Installation): Promise<void> {
  expect(await discover(app)).toMatchObject({ client_id_metadata_document_supported: true })
  app.useDocument()
}

async function beAdded(app: Installation): Promise<void> {
  await discover(app)
  await app.beAdded()
}

/** From the address of the MCP server to the metadata of its authorization server. */
export async function discover(app: Installation): Promise<Members> {
  expectResourceMetadata(await app.resourceMetadata(), app)
  const metadata = await app.serverMetadata()
  expectServerMetadata(metadata, app)
  return metadata
}
