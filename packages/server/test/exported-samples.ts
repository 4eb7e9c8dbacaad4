import type { Source } from '../src/accounts/exported-users.ts'

/** Users as other systems export them. Salts are the bytes 00 to 0f, `seasalt2` or `abcdefghijklmnopqrstuu`. */
interface Sample {
  readonly from: Source
  /** The scheme of the hash that is taken over. */
  readonly scheme: string
  readonly password: string
  /** @param n of the user, who has the address `user-<n>@<from>.example` */
  readonly entry: (n: number) => unknown
}

const PASSWORD = 'correct horse battery'
export const PEPPER = 'PEPPER'
/** https://github.com/firebase/scrypt */
export const FIREBASE_HASH_CONFIG = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}`
const ARGON2 =
  '$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$quyusfeeuAGbpiw09i+j4VKJ+I/5h3mugd4HghmS/x8'

const django = (scheme: string, password: string): Sample => ({
  ...{ from: 'django', scheme, password: PASSWORD },
  entry: (n) => ({
    model: 'auth.user',
    pk: n,
    fields: {
      ...{ username: `user-${n}`, first_name: 'Ada', last_name: 'Lovelace', is_active: true, password },
      email: `user-${n}@django.example`,
    },
  }),
})
const aspnet = (scheme: string, PasswordHash: string, password = PASSWORD): Sample => ({
  ...{ from: 'aspnet', scheme, password },
  entry: (n) => ({ Id: `${n}`, Email: `user-${n}@aspnet.example`, EmailConfirmed: true, PasswordHash }),
})
const laravel = (scheme: string, password: string): Sample => ({
  ...{ from: 'laravel', scheme, password: PASSWORD },
  entry: (n) => ({
    id: n,
    name: 'Ada',
    email: `user-${n}@laravel.example`,
    email_verified_at: null,
    password,
  }),
})
const keycloak = (scheme: string, secretData: object, credentialData: object): Sample => ({
  ...{ from: 'keycloak', scheme, password: PASSWORD },
  entry: (n) => ({
    ...{ id: `${n}`, username: `user-${n}`, email: `user-${n}@keycloak.example`, emailVerified: true },
    ...{ enabled: true, firstName: 'Ada', lastName: 'Lovelace' },
    credentials: [
      { type: 'otp', secretData: '{}', credentialData: '{}' },
      {
        type: 'password',
        secretData: JSON.stringify(secretData),
        credentialData: JSON.stringify(credentialData),
      },
    ],
  }),
})
const SALT = 'AAECAwQFBgcICQoLDA0ODw=='

/** Checked with Django 5.2, the bcrypt of Python and Node; the ones of ASP.NET with `Ss_123` and of Firebase are public. */
export const SAMPLES: readonly Sample[] = [
  django('pbkdf2-sha256', 'pbkdf2_sha256$1000000$seasalt2$fgjHbVjf4zW6zYx7IEeiKhloVycNwJ3uR8wBNByq/DE='),
  django('argon2id', `argon2${ARGON2}`),
  django('bcrypt_sha256', 'bcrypt_sha256$$2b$12$abcdefghijklmnopqrstuukctx0kxTVIpbLS5jaDLwTvcE2YWDU5G'),
  django('bcrypt', 'bcrypt$$2b$10$abcdefghijklmnopqrstuuCj7fyLDJytXL.TfOiOeiv0fQvSOK1/2'),
  django(
    'scrypt',
    'scrypt$16384$seasalt2$8$5$G1CtWJYVEl1VIIHBVoJgVSvjxJl3FB9seGh4L/W6u7VXYz+xAlmTw97Nw1FywhlWMKiPfztsl3EbH4dKtWgA2A==',
  ),
  {
    ...{ from: 'devise', scheme: 'bcrypt_pepper', password: PASSWORD },
    entry: (n) => ({
      ...{ id: n, email: `user-${n}@devise.example`, confirmed_at: '2024-05-01T00:00:00Z' },
      encrypted_password: '$2a$12$abcdefghijklmnopqrstuu8a6wNd.Y5.7OUovFl3VVc9t1Ae2eQtq',
    }),
  },
  laravel('bcrypt', '$2y$12$abcdefghijklmnopqrstuuE3j5FFjC71WyDL2KIK7ShSoj8tPD3m6'),
  laravel('argon2id', ARGON2),
  {
    ...{ from: 'auth0', scheme: 'bcrypt', password: PASSWORD },
    entry: (n) => ({
      _id: { $oid: `5f7f${n}` },
      ...{ email: `user-${n}@auth0.example`, email_verified: true, name: 'Ada' },
      passwordHash: '$2b$10$abcdefghijklmnopqrstuuCj7fyLDJytXL.TfOiOeiv0fQvSOK1/2',
    }),
  },
  keycloak(
    'argon2id',
    { value: 'tFWBGYVQWYldJs55Ny3C/FemDveHTqsi/Dpxz7sjU0Y=', salt: SALT },
    {
      ...{ hashIterations: 5, algorithm: 'argon2' },
      additionalParameters: {
        ...{ hashLength: ['32'], memory: ['7168'], type: ['id'], version: ['1.3'], parallelism: ['1'] },
      },
    },
  ),
  keycloak(
    'pbkdf2-sha512',
    {
      value: 'i8MEbJEntlaFgLOnIsIXgO0aPF4DYs7H6fl1KcMdXffNZCnnR8pN4bE1CdLP+hq1XxAKYsiteZvUHLB6Fjk0Kw==',
      salt: SALT,
    },
    { hashIterations: 210_000, algorithm: 'pbkdf2-sha512' },
  ),
  {
    ...{ from: 'firebase', scheme: 'firebase-scrypt', password: 'user1password' },
    entry: (n) => ({
      ...{ localId: `${n}`, email: `user-${n}@firebase.example`, emailVerified: true, displayName: 'Ada' },
      passwordHash:
        'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
      salt: '42xEC+ixf3L2lw==',
    }),
  },
  aspnet(
    'pbkdf2-sha512',
    'AQAAAAIAAYagAAAAEAABAgMEBQYHCAkKCwwNDg/F82/mx+OwWr0QHAWyuVqjzKcjb7NkOUseLhxacRgqVQ==',
  ),
  aspnet(
    'pbkdf2-sha256',
    'AQAAAAEAACcQAAAAEHfLUrXi8Zh9fMzc6PC4b0q1JzQYhMoVMlTUFtJnIuMhMKfuOqw+tVz/1pXg0jzHgg==',
    'Ss_123',
  ),
  aspnet('pbkdf2-sha1', 'AAABAgMEBQYHCAkKCwwNDg/Kv5tkqQSdO0Z/d/XxWNczkIjFP2C3aR/Oyg84EdRL9A=='),
  {
    ...{ from: 'phc', scheme: 'argon2id', password: PASSWORD },
    entry: (n) => ({ id: `${n}`, email: `user-${n}@phc.example`, name: 'Ada', password: ARGON2 }),
  },
]
