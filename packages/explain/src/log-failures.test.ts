import type { BaseEvent } from '@grantkit/core/internal'
import { expect, it } from 'vitest'
import { logFailures } from './log-failures.ts'

const REQUEST = { path: '/oauth/authorize' }
const NOT_REGISTERED = {
  reason: 'redirect_uri_not_registered',
  status: 400,
  facts: { expected: ['https://app.example/cb'] },
}

function observed() {
  const lines: string[] = []
  const events: BaseEvent[] = []
  const context = {
    emit: (event: BaseEvent) => void events.push(event),
    now: () => 1_800_000_000,
    random: (size: number) => new Uint8Array(size),
  }
  return { observer: logFailures((line) => lines.push(line))(context), lines, events }
}

it('a failure is one line: reference, cause, who can correct it, how, what differs, and the client', () => {
  const { observer, lines } = observed()
  const parameters = { client_id: 'app', redirect_uri: 'https://app.example/cb/' }
  observer.report({ fact: 'authorization_requested', parameters }, REQUEST)
  expect(lines, 'lines of a step that succeeded').toEqual([])
  const { reference } = observer.refused(REQUEST, NOT_REGISTERED)
  expect(lines).toEqual([
    expect.stringMatching(
      /^\S+ redirect_uri_not_registered \(app\): The app sent .+ redirect_uri sent: https:\/\/app\.example\/cb\/\. redirect_uri expected: https:\/\/app\.example\/cb\. client_id: app\.$/,
    ),
  ])
  expect(lines[0]).toContain(reference)
})

it('the steps are events all the same', () => {
  const { observer, events } = observed()
  observer.refused(REQUEST, NOT_REGISTERED)
  expect(events).toMatchObject([{ type: 'step', outcome: 'refused' }])
})

it('what a caller made up begins no line of its own', () => {
  const { observer, lines } = observed()
  observer.refused(REQUEST, { reason: 'a\nb', status: 400 })
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toContain('\n')
})
