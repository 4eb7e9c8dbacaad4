<?php
[$issuer, $signInUrl, $key] = array_map('getenv', ['ISSUER', 'SIGN_IN_URL', 'EXTERNAL_SIGN_IN_KEY']);
$encode = fn ($bytes) => rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
$mac = fn ($text) => $encode(hash_hmac('sha256', $text, $key, true));
session_start(['cookie_httponly' => true, 'cookie_samesite' => 'Lax']);
$request = $_GET['request'] ?? '';
$here = fn ($path) => header("Location: $path?" . http_build_query(['request' => $request]), true, 303);

if (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) === '/login') {
    // Your own sign-in page, which asks for the password.
    $_SESSION['user'] = ['id' => 'ada', 'name' => 'Ada Moore', 'signed_in_at' => time()];
    exit($here('/sign-in'));
}

// The algorithm is HS256, whatever the header of the request says.
[$header, $payload, $signature] = explode('.', "$request..");
$asked = json_decode(base64_decode(strtr($payload, '-_', '+/')), true);
$signed = hash_equals($mac("$header.$payload"), $signature);
if (strlen($key) < 32 || !$signed || $asked['iss'] !== $issuer || $asked['aud'] !== $signInUrl || $asked['exp'] < time() - 60) {
    http_response_code(400);
    exit('This request is not valid.');
}
$user = $_SESSION['user'] ?? ['signed_in_at' => -1];
$since = isset($asked['prompt']) ? $asked['iat'] - 60 : time() - ($asked['max_age'] ?? time());
if ($user['signed_in_at'] < $since) exit($here('/login'));
$claims = ['sub' => $user['id'], 'auth_time' => $user['signed_in_at'], 'name' => $user['name']];
$response = ['iss' => $signInUrl, 'aud' => $issuer, 'jti' => $asked['jti'], 'exp' => time() + 60] + $claims;
$text = $encode('{"alg":"HS256"}') . '.' . $encode(json_encode($response));
header("Location: {$asked['return_to']}?response=$text." . $mac($text), true, 303);
