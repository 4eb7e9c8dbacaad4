const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 6
/** Of CRC-32 in ISO/IEC 3309, with its bits reversed. */
const POLYNOMIAL = 0xedb88320

/**
 * The CRC-32 of an ASCII text in six digits of base 62. A secret scanner tells a token from other text by it, without a request. It
 * protects no secret: anyone can compute it.
 */
export function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let at = 0; at < LENGTH; at++) {
    digits = DIGITS[rest % DIGITS.length] + digits
    rest = Math.floor(rest / DIGITS.length)
  }
  return digits
}

/** Without a table: a token has 70 characters, and only personal access tokens are checked. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}
