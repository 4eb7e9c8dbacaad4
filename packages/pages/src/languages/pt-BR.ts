import type { Language } from '../language.ts'

export const ptBR: Language = {
  tag: 'pt-BR',
  name: 'Português (Brasil)',
  lowerCaseInLists: true,
  common: {
    unnamedApp: 'Um aplicativo sem nome',
    signedInAs: 'Conectado como',
    notYou: 'Não é você?',
  },
  origin: {
    known: 'Verificado: sua resposta vai para {host} e para nenhum outro lugar.',
    operator: 'Configurado por {brand}.',
    unverified: 'Não verificado: ele mesmo escolheu este nome. Continue apenas se você acabou de iniciá-lo.',
    document: 'Ele mesmo escolheu este nome. Continue apenas se você confia no site que o descreve.',
    loopback:
      'Qualquer programa neste dispositivo pode se passar por este aplicativo. Continue apenas se você acabou de iniciá-lo.',
  },
  consent: {
    title: 'Permitir o acesso?',
    expired:
      'Sua resposta não foi considerada: esta página ficou aberta por tempo demais ou você entrou novamente depois disso. Responda outra vez, por favor.',
    theApp: 'O aplicativo',
    describedBy: 'Descrito em',
    sendsYouTo: 'Redireciona você para',
    onThisDevice: '{host}, neste dispositivo',
    wholeAddress: 'O endereço completo',
    reference: 'Referência',
    gains: 'Quem iniciou isto em {host} pode usar este acesso em seu nome.',
    gainsReason:
      'Continue apenas se você mesmo acabou de iniciar isto lá. Se alguém enviou um link a você, recuse.',
    asks: 'Ele pede para fazer o seguinte em seu nome:',
  },
  scopes: {
    permissions: { one: '{count} permissão.', other: '{count} permissões.' },
    changing: { one: '{count} permite fazer alterações.', other: '{count} permitem fazer alterações.' },
    readingOnly: 'Nenhuma permite fazer alterações.',
    allowedBefore: {
      one: 'Você já concedeu {count} delas antes.',
      other: 'Você já concedeu {count} delas antes.',
    },
    untick: 'Desmarque o que ele não deve fazer.',
    disconnect: 'Você pode desconectá-lo a qualquer momento em {connectedApps}.',
    toDecision: 'Ir para a decisão',
    general: 'Geral',
    canChange: 'Pode fazer alterações',
    before: 'Já permitido',
    needed: 'Necessário',
  },
  decision: {
    deny: 'Recusar',
    allowReadingOnly: 'Permitir só leitura',
    readingOnly: 'Só leitura',
    allow: 'Permitir',
  },
  callback: {
    offer: 'Meu aplicativo está em outro computador',
    offerWarning:
      'Apenas se você mesmo o iniciou lá. Você levará até ele um endereço que o conecta à sua conta. Se outra pessoa pediu o endereço ou enviou você até aqui, ela está tentando acessar a sua conta.',
    offerChoice: 'Mostrar o endereço, para colá-lo no meu aplicativo',
    title: 'Cole este endereço no seu aplicativo',
    warning: 'Não o entregue a ninguém nem o digite em nenhuma outra página.',
    warningReason: 'Quem o tiver estará conectado como você.',
    waits: 'O aplicativo espera por este endereço no lugar onde você o iniciou.',
    lifetime: {
      one: 'O endereço funciona uma única vez, por {count} segundo.',
      other: 'O endereço funciona uma única vez, por {count} segundos.',
    },
    address: 'Endereço',
    notStarted: 'Se não foi você que iniciou o aplicativo, feche esta página.',
    thenDisconnect: 'Depois, desconecte-o em {connectedApps}.',
    deniedTitle: 'Nenhum acesso foi concedido',
    denied: 'Você pode encerrar o aplicativo onde o iniciou e fechar esta página.',
  },
  device: {
    codeTitle: 'Conectar um dispositivo',
    codeWrong:
      'Este código não é válido ou deixou de ser. Confira-o no seu dispositivo ou comece de novo por lá.',
    code: 'Código',
    codeWhere: 'O código aparece no seu dispositivo ou no programa que você acabou de iniciar nele.',
    codeFromLink:
      'O código veio com um link. Continue apenas se o seu próprio dispositivo mostra o mesmo código agora.',
    continue: 'Continuar',
    codeSent:
      'Se alguém enviou a você um código ou um link, feche esta página: isso daria a essa pessoa acesso à sua conta.',
    title: 'Dar acesso a outro dispositivo?',
    warning: 'Se alguém enviou este código a você, recuse.',
    warningReason:
      'Você não está entrando aqui: está deixando outro dispositivo agir em seu nome, esteja onde estiver e com quem estiver.',
    theDevice: 'O dispositivo',
    itsCode: 'O código dele',
    started: 'Iniciado',
    sameNetwork: '{ago}, na rede em que você está',
    otherNetwork: '{ago}, em uma rede diferente da sua',
    unknownNetwork: '{ago}, em uma rede desconhecida',
    asks: 'O dispositivo pede para fazer o seguinte em seu nome:',
    allowedTitle: 'O dispositivo tem acesso',
    allowed:
      'Volte ao dispositivo: {app} continua por conta própria em alguns segundos. Você pode fechar esta página.',
    notYours: 'Se você não iniciou isto em um dispositivo seu, desconecte-o agora em {connectedApps}.',
    deniedTitle: 'Nenhum acesso foi concedido',
    denied: '{app} vai parar no dispositivo. Você pode fechar esta página.',
  },
  logout: {
    title: 'Sair da conta?',
    askedByApp: 'Um aplicativo que se apresenta como {app} pede para você sair de {brand}.',
    askedByLink: 'Um link pede para você sair de {brand}.',
    appsKeepAccess: 'Os aplicativos que você já permitiu mantêm o acesso, inclusive os de linha de comando.',
    disconnect: 'Você pode desconectá-los em {connectedApps}.',
    signOut: 'Sair',
    stay: 'Continuar conectado',
    signedOutTitle: 'Você saiu da conta',
  },
  connectedApps: {
    title: 'Aplicativos conectados',
    intro: 'Um aplicativo que você desconecta perde o acesso imediatamente e precisa pedi-lo a você de novo.',
    used: 'Um aplicativo conta como usado quando renova o acesso, cerca de uma vez por hora enquanto está em execução.',
    none: 'Nenhum aplicativo pode fazer nada em seu nome.',
    noneHere: 'Não há aplicativos nesta página.',
    expired:
      'Nada foi alterado: esta página ficou aberta por tempo demais ou você entrou de novo depois disso. Tente novamente.',
    disconnected: 'Desconexão concluída: {app} não pode fazer mais nada em seu nome.',
    named: 'Agora o aplicativo se chama {app} nesta página.',
    unregistered: 'Um aplicativo que não está mais registrado',
    callsItself: 'O próprio aplicativo se chama {app}.',
    unverified: 'Ele mesmo escolheu este nome.',
    runsOn: 'Executado em',
    otherDevice: 'outro dispositivo',
    otherDeviceFrom: 'outro dispositivo, que fez o pedido a partir de {network}',
    verifiedAddress: 'Endereço verificado',
    firstUsed: 'Primeiro uso',
    lastUsed: 'Último uso',
    mayDo: 'O que ele pode fazer',
    yourName: 'O nome que você dá a ele',
    yourNameFor: 'O nome que você dá a {app}',
    save: 'Salvar',
    disconnect: 'Desconectar',
    disconnectApp: 'Desconectar {app}',
    installations: { one: '{count} instalação.', other: '{count} instalações.' },
    disconnectAll: { other: 'Desconectar as {count}' },
    disconnectAllOf: '{all} instalações de {app}',
    pages: 'Páginas',
    firstPage: 'Primeira página',
    nextPage: 'Próxima página',
  },
  error: {
    title: 'Não é possível atender a esta solicitação',
    unavailableTitle: 'O serviço não está disponível no momento',
    unavailable: 'Tente novamente em instantes.',
    tellProgram:
      'Um programa que abriu o seu navegador não vê esta página. Informe a ele o que está escrito abaixo.',
    reference: 'Se pedir ajuda, informe esta referência: {reference}',
    forDeveloper: 'Para o aplicativo e quem o desenvolve',
  },
  advice: {
    appMistake: 'O aplicativo que enviou você até aqui cometeu um erro. Volte a ele e tente novamente.',
    appUnknown: '{brand} não conhece este aplicativo. Volte a ele e entre novamente.',
    appNotDescribed:
      'O aplicativo indica um endereço que o descreveria, mas isso não acontece. Volte ao aplicativo e tente novamente.',
    redirectAddress:
      'O aplicativo quer receber a resposta em um endereço que não está registrado para ele. Você não foi redirecionado para lá. Volte ao aplicativo e comece de novo.',
    requestExpired: 'Isso demorou demais. Volte ao aplicativo e comece de novo.',
    requestUnknown:
      'O link com que o aplicativo enviou você não é válido. Volte ao aplicativo e comece de novo.',
    requestAnswered: 'Você já respondeu. Volte ao aplicativo.',
    signInNeeded: 'O aplicativo queria continuar sem perguntar, mas você não está conectado aqui.',
    otherSite: 'Outro site enviou este formulário; por isso, nada foi decidido. Feche esse site.',
    tooManyApps: 'Foram tentados aplicativos desconhecidos demais. Espere um pouco e tente novamente.',
    tooManyCodes:
      'Foram tentados códigos demais. Espere alguns minutos e confira o código no seu dispositivo.',
    deviceExpired: 'Isso demorou demais. Comece de novo no dispositivo.',
    deviceAnswered: 'Você já respondeu. Volte ao dispositivo.',
    deviceFormExpired:
      'Esta página ficou aberta por tempo demais ou você entrou novamente depois disso. Nada foi decidido: abra-a outra vez e digite o código de novo.',
    signOutUnproven: 'O pedido de saída do aplicativo não é válido; por isso, você continua conectado.',
    signOutAppUnknown:
      'O pedido não diz de qual aplicativo veio; por isso, você não foi levado de volta a ele. Você continua conectado.',
    signOutAddress:
      'O aplicativo quer que você volte a um endereço que não está registrado para ele. Você não foi redirecionado para lá e continua conectado.',
    signOutFormExpired:
      'Esta página ficou aberta por tempo demais ou você saiu ou entrou novamente depois disso. Nada aconteceu agora.',
  },
}
