import { expect, it } from 'vitest'
import { shownAnswer } from './approval.ts'

type Arguments = Parameters<typeof shownAnswer>

const fail = () => {
  throw new Error('This page has nothing to open')
}

async function expectUnchanged(redirectUri: string, location: string): Promise<void> {
  const context = { interaction: { openAppPage: fail }, callbackPage: fail, lifetimes: { code: 60 } }
  const answered = { target: { client: {}, redirectUri }, page: {} }
  const answer = { status: 303, headers: { location }, body: '' }
  const shown = shownAnswer(context as unknown as Arguments[0], answered as Arguments[1], answer)
  expect(await shown).toBe(answer)
}

it.each(['com.example.app:/cb', 'http://127.0.0.1/cb'])(
  'the redirect to a consent page of the application stays as it is, also for a client at %s',
  (redirectUri) => expectUnchanged(redirectUri, '/consent?ticket=1'),
)

// No policy accepts them. They could only come from a record of the store.
it.each([
  'javascript:/%0aalert(1)',
  'JavaScript:/alert(1)',
  'data:/text',
  'intent:/x',
  'http:/x',
  'HTTPS:/x',
])('no page navigates to %s', (redirectUri) => expectUnchanged(redirectUri, `${redirectUri}?code=a`))
