import { describe, expect, it } from 'vitest'
import { Key } from './key.ts'
import { outcome } from './party.ts'
import { pass, suite, VARIANTS } from './suite.ts'

/** What a code is bound to, and how long it is good. */

const running = suite()

describe.each(VARIANTS)('$openid', ({ scope }) => {
  const code = async () => (await running.one.callback({ scope })).code

  it('ensure-authorization-code-is-bound-to-client', async () => {
    expect(outcome(await running.two.redeem(await code()))).toEqual([400, 'invalid_grant'])
  })

  it('attempt-reuse-authorization-code-after-one-second: it is rejected, and its tokens are revoked', async () => {
    const { one } = running
    const spent = await code()
    const { access_token } = (await one.redeem(spent)).body
    pass(1)
    expect((await one.call(access_token)).status).toBe(200)
    expect(outcome(await one.redeem(spent))).toEqual([400, 'invalid_grant'])
    expect((await one.call(access_token)).status).toBe(401)
  })

  it('ensure-token-endpoint-fails-with-expired-auth-code: after 62 seconds', async () => {
    const late = await code()
    pass(62)
    expect(outcome(await running.one.redeem(late))).toEqual([400, 'invalid_grant'])
  })

  it.each([
    ['ensure-pkce-code-verifier-required', undefined],
    ['incorrect-pkce-code-verifier-rejected', 'v'.repeat(43)],
  ])('%s', async (_, code_verifier) => {
    expect(outcome(await running.one.redeem(await code(), { code_verifier }))).toEqual([400, 'invalid_grant'])
  })

  it('ensure-holder-of-key-required: without a proof there is no token, and the code stays valid', async () => {
    const unspent = await code()
    expect(outcome(await running.one.redeem(unspent, {}, { proof: false }))).toEqual([
      400,
      'invalid_dpop_proof',
    ])
    expect((await running.one.redeem(unspent)).status).toBe(200)
  })
})

describe('a code that is bound to a key', () => {
  it('ensure-dpop-auth-code-binding-success: by dpop_jkt and a proof at the push', async () => {
    const { one } = running
    const { code } = await one.callback({ dpop_jkt: one.proving.thumbprint }, { proof: {} })
    expect((await one.redeem(code)).status).toBe(200)
  })

  it('ensure-dpopproof-at-par-endpoint-binding-success: by a proof at the push', async () => {
    const { one } = running
    expect((await one.redeem((await one.callback({}, { proof: {} })).code)).status).toBe(200)
  })

  it('ensure-mismatched-dpop-jkt-fails: a push that names one key and proves another', async () => {
    const { thumbprint } = await Key.of()
    const answer = await running.one.push({ dpop_jkt: thumbprint }, { proof: {} })
    expect(outcome(answer)).toEqual([400, 'invalid_request'])
  })

  it('ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt: the push proved another key', async () => {
    const { one } = running
    const { code } = await one.callback({}, { proof: {}, provenBy: await Key.of() })
    expect(outcome(await one.redeem(code))).toEqual([400, 'invalid_grant'])
  })

  it('ensure-token-endpoint-fails-with-mismatched-dpop-jkt: the push named another key', async () => {
    const { one } = running
    const { code } = await one.callback({ dpop_jkt: (await Key.of()).thumbprint })
    expect(outcome(await one.redeem(code))).toEqual([400, 'invalid_grant'])
  })
})
