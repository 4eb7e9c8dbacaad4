import { pages } from '@grantkit/pages'
import { describe, expect, it } from 'vitest'
import { completed, DEFAULTS, LANGUAGES } from './choices.ts'
import { checkChoices, readChoices } from './read-choices.ts'

describe('arguments', () => {
  it('become choices, and what is left out stays open', () => {
    expect(readChoices({ framework: 'hono', features: 'par, dpop' })).toEqual({
      framework: 'hono',
      features: ['par', 'dpop'],
    })
    expect(readChoices({ features: 'none' })).toEqual({ features: [] })
  })

  it('mean by all the features that the pages can show', () => {
    expect(readChoices({ features: 'all' }).features).toContain('device')
    expect(readChoices({ features: 'all', pages: 'own' }).features).not.toContain('device')
  })

  it.each([
    [
      { framework: 'fastfy' },
      '--framework: "fastfy" is unknown. Did you mean fastify? Known: fastify, express, hono, workers.',
    ],
    [{ store: 'postgresql' }, /^--store: "postgresql" is unknown\. Did you mean postgres\?/],
    [{ app: 'mcpp' }, '--app: "mcpp" is unknown. Did you mean mcp? Known: api, mcp, server.'],
    [{ languages: 'de,ein' }, /^--languages: "ein" is unknown\. Did you mean/],
    [{ pages: 'mine' }, /^--pages: "mine" is unknown/],
    [{ features: 'device,dpopp' }, /^--features: "dpopp" is unknown\. Did you mean dpop\?/],
    [{ store: '__proto__' }, /^--store: "__proto__" is unknown/],
  ])('that are unknown are refused with the nearest: %j', (typed, message) => {
    expect(() => readChoices(typed)).toThrow(message)
  })

  it.each([
    [
      { framework: 'workers', store: 'sqlite' },
      'workers does not run with the store sqlite. Use --store durable-objects.',
    ],
    [
      { framework: 'hono', store: 'durable-objects' },
      'hono does not run with the store durable-objects. Use --framework workers.',
    ],
    [{ app: 'server', store: 'redis' }, 'A server does not run with the store redis. Use --store sqlite or'],
  ] as const)('that name a store of another platform are refused: %j', (chosen, message) => {
    expect(() => checkChoices({ ...DEFAULTS, ...chosen })).toThrow(message)
  })

  it('that name Workers get the store of Workers', () => {
    expect(completed({ framework: 'workers' })).toMatchObject({ store: 'durable-objects', pages: 'grantkit' })
    expect(completed({})).toEqual(DEFAULTS)
  })

  it('that give own pages a feature with pages are refused', () => {
    expect(() => checkChoices({ ...DEFAULTS, pages: 'own', features: ['dpop', 'device'] })).toThrow(
      'device shows pages, which own pages lack. Use --pages grantkit.',
    )
  })

  it.each([
    ['accent', { accent: '#0f766e' }],
    ['languages', { languages: ['de'] }],
  ] as const)('that give own pages the %s of others are refused', (name, look) => {
    expect(() => checkChoices({ ...DEFAULTS, pages: 'own', ...look })).toThrow(
      `--${name} is for the pages of Grantkit. Use --pages grantkit.`,
    )
  })

  it('that give a server a feature of a program are refused', () => {
    expect(() => checkChoices({ ...completed({ app: 'server' }), features: ['dpop'] })).toThrow(
      'dpop is a line of grantkit.config.ts. Use --features known-clients or none.',
    )
  })

  it.each([
    [{ url: 'http://auth.example' }, '--url must be an https URL, or one of localhost, without'],
    [{ url: 'https://auth.example/' }, '--url must be'],
    [{ users: 'there' }, '--users must be here, or the https URL of the sign-in page of your application'],
    [{ resource: 'notes' }, '--resource must be a URL without a fragment, or empty, not "notes".'],
    [{ name: ' ' }, '--name must not be empty'],
  ])('of a server are checked: %j', (typed, problem) => {
    expect(() => readChoices(typed)).toThrow(problem)
  })

  it('name the languages that the pages have', () => {
    expect(pages({ brand: { name: 'Notes' } }).interaction.uiLocales).toEqual(LANGUAGES)
  })
})
