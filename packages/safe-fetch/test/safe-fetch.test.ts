import { describeDocumentFetch } from '@grantkit/testkit'
import { safeFetch } from '../src/index.ts'

const issuer = 'https://server.dev/auth'

describeDocumentFetch('safe-fetch', ({ ca, deadline }) =>
  safeFetch({ issuer, deadline, unsafeForTests: { ca } }),
)
