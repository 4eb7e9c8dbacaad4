import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fromTemplate } from './template.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')
const exampleOf = (file: string) => readFileSync(join(EXAMPLES, file), 'utf8')

function settingsOf(jsonc: string): Record<string, unknown> {
  return JSON.parse(jsonc.replaceAll(/^ *[/]{2}.*$/gm, ''))
}

describe('a template', () => {
  it.each(['fastify.ts', 'express.ts', 'hono.ts'])('of %s is the application of the quick start', (file) => {
    expect(fromTemplate(file, ['api'])).toBe(exampleOf(`quick-start/${file}`))
  })

  it('sets up a Worker as the example does, which also counts sign-ins, under another name and port', () => {
    const { name, vars, dev, ratelimits, main, secrets, ...example } = settingsOf(
      exampleOf('cloudflare-mcp/wrangler.jsonc'),
    )
    expect(settingsOf(fromTemplate('wrangler.jsonc', []))).toMatchObject(example)
  })

  it('keeps the lines of what is chosen alone, and no condition', () => {
    const server = fromTemplate('server.ts', ['sqlite', 'features', 'dpop'])
    expect(server).toContain("import { createSqliteStore, migrate } from '@grantkit/store-sqlite'\n")
    expect(server).toContain('  features: [\n    dpop(),\n  ],\n')
    expect(server).not.toMatch(/if: |createMemoryStore|device/)
  })

  it('keeps a line with two conditions if both hold', () => {
    const keys = (chosen: string[]) => /keys: JSON.parse\((\S+)/.exec(fromTemplate('server.ts', chosen))?.[1]
    expect([keys(['openid', 'workers']), keys(['openid']), keys(['workers'])]).toEqual([
      'env.KEYS),',
      'process.env.KEYS',
      undefined,
    ])
  })

  it('keeps a line that another choice replaces until that is made', () => {
    const links = (chosen: string[]) => fromTemplate('interaction.ts', chosen).includes('links')
    expect([links([]), links(['connected-apps'])]).toEqual([false, true])
  })

  it.each(['grantkit', 'own'])('leaves the interaction short, with %s pages', (pages) => {
    const file = pages === 'own' ? 'interaction-own.ts' : 'interaction.ts'
    const lines = fromTemplate(file, []).trimEnd().split('\n').length
    expect(lines).toBeLessThanOrEqual(pages === 'own' ? 45 : 12)
  })
})
