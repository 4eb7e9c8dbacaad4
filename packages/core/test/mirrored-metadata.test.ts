import { mirroredMetadata } from '@grantkit/core'
import { toFetchHandler } from '@grantkit/core/adapter'
import { describe, expect, it } from 'vitest'
import { ISSUER, openService } from './service.ts'

/** The metadata of the issuer at the host of an API, where clients of MCP 2025-03-26 look for them. */

const RESOURCE = 'https://mcp.example/tools/mcp'
const WELL_KNOWN = '/.well-known/oauth-authorization-server'

describe('the metadata of the issuer at the host of an API', () => {
  it('are the document of the issuer unchanged, at the root of the host', async () => {
    const { server } = openService()
    const mirror = mirroredMetadata(RESOURCE, server.metadata)
    expect(mirror.routes.map(({ path }) => path)).toEqual([WELL_KNOWN])
    const mirrored = await toFetchHandler(mirror)(new Request(`https://mcp.example${WELL_KNOWN}`))
    const own = await toFetchHandler(server)(new Request(ISSUER + WELL_KNOWN))
    expect(await mirrored.text()).toBe(await own.text())
    const headers = ['content-type', 'cache-control', 'etag', 'access-control-allow-origin']
    for (const name of headers) expect(mirrored.headers.get(name), name).toBe(own.headers.get(name))
  })

  it('can be a document that another process fetched', async () => {
    const fetched = { issuer: ISSUER, token_endpoint: `${ISSUER}/token` }
    const answer = await toFetchHandler(mirroredMetadata(RESOURCE, fetched))(
      new Request(`https://mcp.example${WELL_KNOWN}`),
    )
    expect(await answer.json()).toEqual(fetched)
  })

  it('are readable from a browser app of another origin', async () => {
    const request = new Request(`https://mcp.example${WELL_KNOWN}`, { method: 'OPTIONS' })
    const answer = await toFetchHandler(mirroredMetadata(RESOURCE, openService().server.metadata))(request)
    expect([answer.status, answer.headers.get('access-control-allow-headers')]).toEqual([
      204,
      expect.stringContaining('mcp-protocol-version'),
    ])
  })

  it('are not published twice where the API has the origin of the issuer', () => {
    const { metadata } = openService().server
    expect(mirroredMetadata(`${ISSUER}/mcp`, metadata).routes).toEqual([])
  })

  it('are published at the origin of an issuer that has a path', () => {
    const { metadata } = openService({ issuer: `${ISSUER}/auth`, resources: [`${ISSUER}/mcp`] }).server
    expect(mirroredMetadata(`${ISSUER}/mcp`, metadata).routes).toHaveLength(1)
  })

  it.each([{}, { issuer: 1 }, { issuer: 'notes' }])('must have an issuer: %j', (metadata) => {
    expect(() => mirroredMetadata(RESOURCE, metadata)).toThrow('must have an issuer')
  })
})
