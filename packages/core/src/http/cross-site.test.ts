import { describe, expect, it } from 'vitest'
import { isCrossSite } from './cross-site.ts'

const ISSUER = 'https://school.example/auth'
const OWN = 'https://school.example'
const HOST = 'localhost:3000'
const crossSite = (origin?: string, site?: string) =>
  isCrossSite(ISSUER, { origin, host: HOST, 'sec-fetch-site': site })

describe('a form', () => {
  it.each([
    ['says nothing, as a program does', undefined, undefined],
    ['names the own origin', OWN, undefined],
    ['is of the same origin', OWN, 'same-origin'],
    ['is sent again by its user', OWN, 'none'],
    ['hides its referrer', 'null', 'same-origin'],
    ['has another name of the server, as its Host does', `http://${HOST}`, 'same-origin'],
  ])('is accepted if the request %s', (_, origin, site) => {
    expect(crossSite(origin, site)).toBe(false)
  })

  it.each([
    ['is cross-site', undefined, 'cross-site'],
    ['is of a sibling host', undefined, 'same-site'],
    ['is cross-site whatever the origin', OWN, 'cross-site'],
    ['names another origin', 'https://evil.example', undefined],
    ['names another origin, though of the same site', 'https://evil.example', 'same-origin'],
    ['names another port', 'https://school.example:8443', undefined],
    ['names another scheme', 'http://school.example', undefined],
    ['comes from a sandboxed frame', 'null', 'cross-site'],
    ['has a null origin and says no more', 'null', undefined],
    ['has another name of the server and says no more', `http://${HOST}`, undefined],
    ['has an origin that is none', 'http://', 'same-origin'],
  ])('is refused if the request %s', (_, origin, site) => {
    expect(crossSite(origin, site)).toBe(true)
  })
})
