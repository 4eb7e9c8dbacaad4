/**
 * Known signatures, which are valid. They tell a wrong signature from a runtime that cannot verify the algorithm: that is a
 * fault of the server, and must not look like a fault of the client.
 */
import type { JwsAlgorithm, PublicKeyMembers } from './jwk.ts'

export interface KnownSignature {
  readonly jwk: PublicKeyMembers
  /** The header and the claims `{}`, as they are signed. */
  readonly signed: string
  /** In base64url. */
  readonly signature: string
}

/** Made once, with private keys that were deleted. */
export function knownSignature(alg: JwsAlgorithm): KnownSignature {
  const name = alg === 'Ed25519' ? 'EdDSA' : alg
  const header = Buffer.from(JSON.stringify({ alg: name })).toString('base64url')
  return { jwk: KEYS[name], signed: `${header}.e30`, signature: SIGNATURES[name] }
}

const RSA: PublicKeyMembers = {
  e: 'AQAB',
  kty: 'RSA',
  n: 'rNHjhAceUBWJ2dAZsLD7VS2jH-OAM2VWs6j3H6niKnlz5QPyRrZWomyKlKFkJTBXCnn8JgKdXKlSK-9EH42oNSXHaicFmqsu8REmzuR1N-O-bZhSzw1Hu2aUJet9Ge3xAKo86QVQ-68GPhqxnHtWJX5ZKpq24liLppSJ9VpfkOQgEE1DG9nNcASrryUgBHb2zM_iwLp1d46GwlY5CBaEAgzouwIqtJFe-xxDanLdvPJAHZIKHECHcGAICJlcOP-zL1wQfHRXRJBTgmyVwdmPQ4i8KX7hbFGE8i9PwK6wxGjz_ADYuNBMuca4nNnqzGCLCVHnE3giwnrFPajaIUUwiQ',
}

const KEYS: Readonly<Record<Exclude<JwsAlgorithm, 'Ed25519'>, PublicKeyMembers>> = {
  ES256: {
    crv: 'P-256',
    kty: 'EC',
    x: 'T0oK7Fe_NZ9klhLMhREPlB7VRQUVwD3CDkgphAags5s',
    y: '4ukdBxTv5LQ8MSEXqHziUW1FrmJEA73tq5Uiv0Gn41U',
  },
  EdDSA: { crv: 'Ed25519', kty: 'OKP', x: 'R1boV0dggfZsPGzX4MosjRqEjzacoMN6IaTvjLXDFwo' },
  PS256: RSA,
  RS256: RSA,
}

const SIGNATURES: Readonly<Record<keyof typeof KEYS, string>> = {
  ES256: 'VJdFAvtdIVDQPJj83BxJBjz9KhEhkmk7irGbOcqvj5lMZ-9NG0VIG-0UlHIcaXe1G52HqTrk8i7v0B423DgJ_w',
  EdDSA: 'R0D5vlKVXuVEfwbMbxxRROs2gO5Sl_W2lxyMpaFJPjVXAOchjt6ij4STeBTipaGDKKGrkNLJlgvJPXEmp7JaCg',
  PS256:
    'eD3ng_cy3RY0jHWal5Zn_MfBs8TXWpIRRAMjPWMRlHCbsKTh0q7VPDNo15jjMN-9IaodKzYYzjlHfykUOHcJQ-XTTe3nnw58bJvbuxHXyhgigVJNQq-1uI7_COpOiVBknitGaGWVN_IB4MW2WqBfq7V7PWfCgVsfSIma2GfqUz8Ot5JFYsYraM4eXhFhbet5WN-wzerONGqIwUtdVZW3ORanrIk_QSDrM_pNO5ofDCkKJDMes3jWw09YT54IuUq6vEqySfgwtI_TbdSKPbmMgpkZHoKYmZyi32tqgwhHT8QCibFKXPOdkwij788FQglQwVgMWqa8QiEsixxxbHzm0g',
  RS256:
    'RVQlNrDk3PLMfkL_CBrM3X2UPFN6yfU5bgNvBaTPxqs74NVJj_om3_hztjGkslTpqgPYyJBJRzMRrP7pTszy4kcJ8WhQ-4q9FW2wRLS7ncB53h6S95MLs1m1LCasucb9Lutg2_XWPmIVGNx-PeSg5GzG4v3mO1p-cl_brIMv-nIU3yN7gOsFcrPnRtyjdFgdRnfFWXv58fleUYybBKy7Z4I-i5gsT1QuXMAJ0faK9OEv6HoYDNwmbd5JxXPZ9QuspCYX_D3g07zJw91Xut5FsgXAmeAA6hN62CrrudXL3MnfQzrOFERoDDPy7zN6MHhPzqJz-SKWgkk6AAKkATk4xw',
}
