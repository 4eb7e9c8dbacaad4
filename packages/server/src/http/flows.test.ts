import { expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { flowsInCookies } from './flows.ts'

const SERVER = { secret: 'a secret of the tests, long enough', baseUrl: 'https://server.example' }
const OPTIONS = { name: 'flow', purpose: 'a test', value: z.object({ way: z.string() }), seconds: 600 }

function open(change: Partial<typeof OPTIONS> = {}) {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
  onTestFinished(() => void vi.useRealTimers())
  return flowsInCookies(SERVER, { ...OPTIONS, ...change })
}

/** A browser, which begins a flow each second. */
function browserOf({ begin }: ReturnType<typeof open>) {
  const jar = new Map<string, string>()
  return {
    cookies: () => [...jar].map((pair) => pair.join('=')).join('; '),
    begin(id: string, way = '') {
      vi.setSystemTime(Date.now() + 1000)
      for (const line of begin(this.cookies(), id, { way }) ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (line.includes('Max-Age=0')) jar.delete(name)
        else jar.set(name, value)
      }
    },
  }
}

it('finds each of five flows, and the newest', () => {
  const flows = open()
  const browser = browserOf(flows)
  for (const id of ['a', 'b', 'c', 'd', 'e']) browser.begin(id, `way of ${id}`)
  const found = ['a', 'b', 'c', 'd', 'e'].map((id) => flows.find(browser.cookies(), id)?.way)
  expect(found).toEqual(['way of a', 'way of b', 'way of c', 'way of d', 'way of e'])
  expect(flows.latest(browser.cookies())).toMatchObject({ id: 'e', way: 'way of e' })
})

it('drops the oldest for a sixth, unless it was begun again', () => {
  const flows = open()
  const browser = browserOf(flows)
  for (const id of ['a', 'b', 'c', 'd', 'e', 'a', 'f']) browser.begin(id)
  const known = ['a', 'b', 'c', 'd', 'e', 'f'].filter((id) => flows.find(browser.cookies(), id))
  expect(known).toEqual(['a', 'c', 'd', 'e', 'f'])
})

it('drops the oldest before the cookies are too long for a proxy', () => {
  const flows = open()
  const browser = browserOf(flows)
  for (const id of ['a', 'b', 'c']) browser.begin(id, 'x'.repeat(1500))
  expect(browser.cookies().length).toBeLessThan(5200)
  expect(['a', 'b', 'c'].filter((id) => flows.find(browser.cookies(), id))).toEqual(['b', 'c'])
})

it('begins nothing that a browser would drop', () => {
  expect(open().begin(undefined, 'a', { way: 'x'.repeat(4000) })).toBeUndefined()
})

it('is bound to its purpose, its time and its id', () => {
  const flows = open()
  const browser = browserOf(flows)
  browser.begin('a')
  const cookies = browser.cookies()
  const [name = '', value = ''] = cookies.split('=')
  expect(open({ purpose: 'another' }).find(cookies, 'a'), 'another purpose').toBeUndefined()
  expect(flows.find(`${name}=${value}x`, 'a'), 'a changed cookie').toBeUndefined()
  expect(flows.find(cookies, 'b'), 'another id').toBeUndefined()
  browser.begin('b')
  const [first = '', second = ''] = browser.cookies().split('; ')
  const swapped = `${first.split('=')[0]}=${second.split('=')[1]}`
  expect(flows.find(swapped, 'a'), 'the cookie of another id').toBeUndefined()
  vi.setSystemTime(Date.now() + 600_000)
  expect(flows.find(cookies, 'a'), 'ten minutes later').toBeUndefined()
})

it.each([
  '',
  'x',
  '=',
  '; ;',
  '__Host-flow.abcdefgh=',
  '__Host-flow.abcdefgh=%ff.x',
  '__Host-flow.a b=c',
  '__Host-flow.=1',
])('begins beside the cookies %j, which it has not set', (cookies) => {
  const flows = open()
  expect(flows.begin(cookies, 'a', { way: '' })?.[0]).toMatch(/^__Host-flow\.[\w-]{8}=/)
  expect(flows.latest(cookies)).toBeUndefined()
})
