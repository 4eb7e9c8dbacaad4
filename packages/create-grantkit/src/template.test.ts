import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fromTemplate, readTemplate } from './template.ts'

const QUICK_START = join(import.meta.dirname, '../../../examples/quick-start')

describe('a template', () => {
  it.each(['fastify.ts', 'express.ts', 'hono.ts'])('of %s is the application of the quick start', (file) => {
    expect(readTemplate(file)).toBe(readFileSync(join(QUICK_START, file), 'utf8'))
  })

  it('keeps the lines of what is chosen alone, and no condition', () => {
    const server = fromTemplate('server.ts', ['sqlite', 'features', 'dpop'])
    expect(server).toContain("import { createSqliteStore, migrate } from '@grantkit/store-sqlite'\n")
    expect(server).toContain('  features: [\n    dpop(),\n  ],\n')
    expect(server).not.toMatch(/if: |createMemoryStore|device/)
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
