import { expect, it } from 'vitest'
import { withVerifiedTls } from './connect.ts'

const AT = 'postgres://grantkit:p%40ss@db.example:5432/grantkit'

it.each([
  [`${AT}?sslmode=require`, `${AT}?sslmode=verify-full`],
  [`${AT}?sslmode=prefer&options=-c%20geqo%3Doff`, `${AT}?sslmode=verify-full&options=-c%20geqo%3Doff`],
  [`${AT}?sslrootcert=/ca.pem&sslmode=verify-ca`, `${AT}?sslrootcert=/ca.pem&sslmode=verify-full`],
  [`${AT}?sslmode=require&sslrootcert=system`, `${AT}?sslmode=verify-full&sslmode=verify-full`],
  [`${AT}?sslrootcert=system`, `${AT}?sslmode=verify-full`],
])('says by name that the certificate is verified, as pg does without a word: %s', (url, expected) => {
  expect(withVerifiedTls(url)).toBe(expected)
})

it.each([
  AT,
  `${AT}?sslmode=verify-full`,
  `${AT}?sslmode=disable`,
  `${AT}?sslmode=no-verify`,
  `${AT}?uselibpqcompat=true&sslmode=require`,
  `${AT}?sslrootcert=/etc/system`,
])('changes nothing that is said: %s', (url) => {
  expect(withVerifiedTls(url)).toBe(url)
})
