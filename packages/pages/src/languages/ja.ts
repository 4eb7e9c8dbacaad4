import type { Language } from '../language.ts'

export const ja: Language = {
  tag: 'ja',
  name: '日本語',
  lowerCaseInLists: false,
  common: {
    unnamedApp: '名前のないアプリ',
    signedInAs: 'ログイン中のユーザー',
    notYou: '別のユーザーですか？',
  },
  origin: {
    operator: '{brand} が設定したアプリです。',
    unverified:
      '未確認のアプリです。この名前はアプリ自身が名乗っているものです。ご自身でたった今起動した場合にのみ続行してください。',
    document:
      'この名前はアプリ自身が名乗っているものです。説明元のサイトを信頼できる場合にのみ続行してください。',
    loopback:
      'この端末上のどのプログラムでも、このアプリになりすますことができます。ご自身でたった今起動した場合にのみ続行してください。',
  },
  consent: {
    title: 'アクセスを許可しますか？',
    expired:
      '回答は受け付けられませんでした。このページを開いてから時間が経ちすぎたか、その後に再度ログインされたためです。もう一度お答えください。',
    theApp: 'アプリ',
    describedBy: '説明元',
    sendsYouTo: '移動先',
    onThisDevice: '{host}（この端末内）',
    wholeAddress: 'アドレス全体',
    asks: 'このアプリは、あなたに代わって次の操作を行う許可を求めています。',
  },
  scopes: {
    permissions: { other: '権限は {count} 件です。' },
    changing: { other: 'うち {count} 件は変更を伴います。' },
    readingOnly: '変更を伴うものはありません。',
    allowedBefore: { other: '{count} 件は以前に許可済みです。' },
    untick: '許可しない項目のチェックを外してください。',
    disconnect: '連携は {connectedApps} からいつでも解除できます。',
    toDecision: '許可・拒否の選択へ移動',
    general: '全般',
    canChange: '変更を伴う',
    before: '許可済み',
    needed: '必須',
  },
  decision: {
    deny: '拒否',
    allowReadingOnly: '閲覧のみ許可する',
    readingOnly: '閲覧のみ',
    allow: '許可',
  },
  callback: {
    offer: 'アプリが別のマシンで動いている場合',
    offerWarning:
      'ご自身でそのマシン上のアプリを起動した場合に限ります。アプリをログインさせるためのアドレスを、ご自身でアプリに渡すことになります。それ以外の誰かがこのアドレスを求めたり、あなたをここへ誘導したりした場合、その人はあなたのアカウントへの侵入を狙っています。',
    offerChoice: 'アプリに貼り付けるためのアドレスを表示する',
    title: 'このアドレスをアプリに貼り付けてください',
    warning: '誰にも教えず、ほかのページには入力しないでください。',
    warningReason: 'このアドレスを手にした人は、あなたとしてログインできます。',
    waits: 'アプリは、起動した場所でこのアドレスを待っています。',
    lifetime: { other: 'このアドレスは {count} 秒間、一度だけ使えます。' },
    address: 'アドレス',
    notStarted: 'ご自身でアプリを起動していない場合は、このページを閉じてください。',
    thenDisconnect: 'その後、{connectedApps} から連携を解除してください。',
    deniedTitle: 'アクセスは許可されませんでした',
    denied: '起動した場所でアプリを終了し、このページを閉じてください。',
  },
  device: {
    codeTitle: '端末を接続',
    codeWrong:
      'このコードは正しくないか、すでに無効です。端末の表示をもう一度確認するか、端末で最初からやり直してください。',
    code: 'コード',
    codeWhere: 'コードは、お使いの端末、またはその端末で起動したプログラムに表示されています。',
    codeFromLink:
      'このコードはリンクに含まれていたものです。ご自身の端末に今、同じコードが表示されている場合にのみ続行してください。',
    continue: '続行',
    codeSent:
      '誰かからコードやリンクが送られてきた場合は、このページを閉じてください。その人にアクセスを許すことになります。',
    title: '別の端末にアクセスを許可しますか？',
    warning: 'このコードが誰かから送られてきたものなら、拒否してください。',
    warningReason:
      'ここでログインするのではありません。どこにあり、誰が持っているかにかかわらず、別の端末があなたに代わって操作できるようになります。',
    theDevice: '端末',
    itsCode: '端末のコード',
    started: '開始',
    sameNetwork: '{ago}、現在お使いのネットワークから',
    otherNetwork: '{ago}、お使いのものとは別のネットワークから',
    unknownNetwork: '{ago}、不明なネットワークから',
    asks: 'この端末は、あなたに代わって次の操作を行う許可を求めています。',
    allowedTitle: '端末にアクセスを許可しました',
    allowed: '端末に戻ってください。{app} は数秒後に自動的に続行します。このページは閉じてかまいません。',
    notYours: 'ご自身の端末で開始したものでない場合は、今すぐ {connectedApps} から連携を解除してください。',
    deniedTitle: 'アクセスは許可されませんでした',
    denied: '端末の {app} にお知らせします。このページは閉じてかまいません。',
  },
  logout: {
    title: 'ログアウトしますか？',
    askedByApp: '{app} と名乗るアプリが、{brand} からのログアウトを求めています。',
    askedByLink: 'リンクが、{brand} からのログアウトを求めています。',
    appsKeepAccess: '以前に許可したアプリは、コマンドラインのものも含め、引き続きアクセスできます。',
    disconnect: '連携は {connectedApps} から解除できます。',
    signOut: 'ログアウト',
    stay: 'ログインしたままにする',
    signedOutTitle: 'ログアウトしました',
  },
  connectedApps: {
    title: '連携中のアプリ',
    intro: '連携を解除すると、アプリはただちにアクセスできなくなり、改めて許可を求める必要があります。',
    used: 'アプリがアクセスを更新すると、使用したものとみなされます。実行中は約 1 時間に 1 回です。',
    none: 'あなたに代わって操作できるアプリはありません。',
    noneHere: 'このページにアプリはありません。',
    expired:
      '何も変更されていません。このページを開いてから時間が経ちすぎたか、その後に再度ログインされたためです。もう一度お試しください。',
    disconnected: '{app} の連携を解除しました。今後、あなたに代わって操作することはできません。',
    named: 'このアプリは、ここでは {app} と表示されます。',
    unregistered: '登録が解除されたアプリ',
    callsItself: 'アプリ自身は {app} と名乗っています。',
    unverified: 'この名前はアプリ自身が名乗っているものです。',
    runsOn: '実行場所',
    otherDevice: '別の端末',
    otherDeviceFrom: '別の端末（要求元のネットワーク: {network}）',
    firstUsed: '初回の使用',
    lastUsed: '最後の使用',
    mayDo: '許可されている操作',
    yourName: '自分で付ける名前',
    yourNameFor: '{app} に自分で付ける名前',
    save: '保存',
    disconnect: '連携を解除',
    disconnectApp: '{app} の連携を解除',
    pages: 'ページ',
    firstPage: '最初のページ',
    nextPage: '次のページ',
  },
  error: {
    title: 'このリクエストにはお応えできません',
    unavailableTitle: '現在ご利用いただけません',
    unavailable: 'しばらくしてからもう一度お試しください。',
    tellProgram:
      'ブラウザーを開いたプログラムには、このページが見えません。下の内容をプログラムに伝えてください。',
    forDeveloper: 'アプリとその開発者の方へ',
  },
  advice: {
    appMistake: 'あなたをここへ案内したアプリに誤りがあります。アプリに戻って、もう一度お試しください。',
    appUnknown: '{brand} に登録されていないアプリです。アプリに戻って、もう一度ログインしてください。',
    appNotDescribed:
      'アプリが説明元として示したアドレスに、このアプリの説明がありません。アプリに戻ってください。',
    redirectAddress:
      'アプリは、登録されていないアドレスで応答を受け取ろうとしています。そのアドレスへは移動していません。',
    requestExpired: '時間が経ちすぎました。アプリに戻って、最初からやり直してください。',
    requestUnknown: 'アプリのリンクが正しくありません。アプリに戻って、最初からやり直してください。',
    requestAnswered: 'すでに回答済みです。アプリに戻ってください。',
    signInNeeded: 'アプリは確認なしで続行しようとしましたが、ここではログインされていません。',
    otherSite:
      'このフォームは別のサイトから送信されたため、何も決定されていません。そのサイトを閉じてください。',
    tooManyApps: '未知のアプリが何度も試されました。しばらく待ってから、もう一度お試しください。',
    tooManyCodes: 'コードが何度も試されました。数分待ってから、端末のコードをもう一度確認してください。',
    deviceExpired: '時間が経ちすぎました。端末で最初からやり直してください。',
    deviceAnswered: 'すでに回答済みです。端末に戻ってください。',
    deviceFormExpired:
      'このページを開いてから時間が経ちすぎたか、その後に再度ログインされました。何も決定されていません。ページを開き直し、コードをもう一度入力してください。',
    signOutUnproven:
      'アプリは誰をログアウトさせるのかを示せなかったため、何も行われませんでした。ログインしたままです。',
    signOutAppUnknown: 'アプリが自身を示さなかったため、アプリへは戻りませんでした。ログインしたままです。',
    signOutAddress:
      'アプリは、登録されていないアドレスへ戻そうとしています。そのアドレスへは移動しておらず、ログインしたままです。',
    signOutFormExpired:
      'このページを開いてから時間が経ちすぎたか、その後にログアウトまたは再度ログインされました。今回は何も行われていません。',
  },
}
