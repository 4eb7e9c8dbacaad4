/** The user did not get to the callback. */
export class NoApproval extends Error {
  override readonly name = 'NoApproval'
}

/** The server gives no refresh token, so only races of codes are possible. */
export class NoRefreshToken extends NoApproval {}
