import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { logoUri } from './logo.ts'

const folder = mkdtempSync(join(tmpdir(), 'grantkit-logo-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, content = '<svg/>'): string {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

describe('logoUri', () => {
  it.each([
    ['logo.svg', 'image/svg+xml'],
    ['logo.png', 'image/png'],
    ['logo.webp', 'image/webp'],
    ['logo.JPG', 'image/jpeg'],
  ])('reads the file %s as %s', (name, type) => {
    expect(logoUri(file(name))).toBe(`data:${type};base64,${btoa('<svg/>')}`)
  })

  it('reads a file: URL', () => {
    expect(logoUri(pathToFileURL(file('url.svg')))).toContain('data:image/svg+xml')
  })

  it('escapes the markup of an SVG', () => {
    expect(logoUri('<svg id="a"/>')).toBe('data:image/svg+xml,%3Csvg%20id%3D%22a%22%2F%3E')
  })

  it('takes a data: URI as it is', () => {
    expect(logoUri('data:image/png;base64,AAAA')).toBe('data:image/png;base64,AAAA')
  })

  it.each([
    ['an HTML document', 'data:text/html,hello', 'a data: URI must have an SVG, PNG, WebP or JPEG image'],
    ['a file of another kind', file('logo.gif'), 'must be an SVG, PNG, WebP or JPEG file'],
    ['a file that is missing', join(folder, 'missing.png'), 'missing.png cannot be read'],
    ['a file of more than 64 KiB', file('large.png', 'x'.repeat(65 * 1024)), 'has 65 KiB'],
    ['markup of more than 64 KiB', `<svg>${'x'.repeat(65 * 1024)}</svg>`, 'at most 64 KiB'],
    ['a data: URI of more than 64 KiB', `data:image/png;base64,${'A'.repeat(90 * 1024)}`, 'at most 64 KiB'],
  ])('refuses %s', (_, logo, message) => {
    expect(() => logoUri(logo)).toThrow(message)
  })
})
