require 'jwt'
require 'sinatra'

ISSUER, SIGN_IN_URL, KEY = %w[ISSUER SIGN_IN_URL EXTERNAL_SIGN_IN_KEY].map { |name| ENV.fetch(name) }
CHECKS = { algorithm: 'HS256', leeway: 60, iss: ISSUER, verify_iss: true, aud: SIGN_IN_URL, verify_aud: true }
set :sessions, true
set :session_secret, ENV.fetch('SECRET_KEY')
set :show_exceptions, false

get '/login' do # Your own sign-in page, which asks for the password.
  session['user'] = { 'id' => 'ada', 'name' => 'Ada Moore', 'signed_in_at' => Time.now.to_i }
  redirect to("/sign-in?request=#{URI.encode_www_form_component(params['request'])}"), 303
end

get '/sign-in' do
  asked, = JWT.decode(params['request'], KEY, true, CHECKS)
  user, now = session['user'], Time.now.to_i
  since = asked['prompt'] ? asked['iat'] - 60 : now - asked.fetch('max_age', now)
  if user.nil? || user['signed_in_at'] < since
    redirect to("/login?request=#{URI.encode_www_form_component(params['request'])}"), 303
  end
  claims = { sub: user['id'], auth_time: user['signed_in_at'], name: user['name'] }
  response = { iss: SIGN_IN_URL, aud: ISSUER, jti: asked['jti'], exp: now + 60, **claims }
  redirect "#{asked['return_to']}?response=#{JWT.encode(response, KEY, 'HS256')}", 303
end

error JWT::DecodeError do
  halt 400, env['sinatra.error'].message
end
