import type { Language } from '../language.ts'

export const es: Language = {
  tag: 'es',
  name: 'Español',
  lowerCaseInLists: true,
  common: {
    unnamedApp: 'Una aplicación sin nombre',
    signedInAs: 'Sesión iniciada como',
    notYou: '¿No es usted?',
  },
  origin: {
    known: 'Verificado: su respuesta va a {host} y a ningún otro sitio.',
    operator: 'Configurada por {brand}.',
    unverified: 'Sin verificar: ella misma eligió este nombre. Continúe solo si usted acaba de iniciarla.',
    document: 'Ella misma eligió este nombre. Continúe solo si confía en el sitio que la describe.',
    loopback:
      'Cualquier programa de este dispositivo puede hacerse pasar por esta aplicación. Continúe solo si usted acaba de iniciarla.',
  },
  consent: {
    title: '¿Permitir el acceso?',
    expired:
      'Su respuesta no se tuvo en cuenta: esta página estuvo abierta demasiado tiempo o usted ha vuelto a iniciar sesión desde entonces. Responda de nuevo, por favor.',
    allowsNothing: 'Esa respuesta no permitiría nada. Marque al menos un permiso o rechace la solicitud.',
    theApp: 'La aplicación',
    describedBy: 'Descrita en',
    sendsYouTo: 'Le redirige a',
    onThisDevice: '{host}, en este dispositivo',
    details: 'Detalles',
    wholeAddress: 'La dirección completa',
    reference: 'Referencia',
    gains: 'Quien inició esto en {host} puede usar este acceso en su nombre.',
    gainsReason:
      'Continúe solo si usted mismo acaba de iniciarlo allí. Si alguien le ha enviado un enlace, rechácelo.',
    asks: 'Solicita hacer lo siguiente en su nombre:',
  },
  organization: {
    label: 'Organización',
    question: '¿Para qué organización?',
    choose: 'Elija una',
  },
  details: {
    asks: 'Pide exactamente esto:',
    whole: 'Todo o nada: si algo no es correcto, rechace.',
  },
  scopes: {
    permissions: { one: '{count} permiso.', other: '{count} permisos.' },
    changing: { one: '{count} permite hacer cambios.', other: '{count} permiten hacer cambios.' },
    readingOnly: 'Ninguno permite hacer cambios.',
    oneReading: 'Un permiso, que no cambia nada.',
    oneChanging: 'Un permiso, que permite hacer cambios.',
    allowedBefore: {
      one: 'Ya ha concedido {count} de ellos antes.',
      other: 'Ya ha concedido {count} de ellos antes.',
    },
    untick: 'Desmarque lo que no deba hacer.',
    disconnect: 'Puede desconectarla en cualquier momento en {connectedApps}.',
    toDecision: 'Ir a la decisión',
    general: 'General',
    canChange: 'Puede hacer cambios',
    before: 'Permitido antes',
    needed: 'Necesario',
  },
  decision: {
    deny: 'Rechazar',
    allowReadingOnly: 'Permitir solo lectura',
    readingOnly: 'Solo lectura',
    allow: 'Permitir',
  },
  callback: {
    offer: 'Mi aplicación se ejecuta en otro equipo',
    offerWarning:
      'Solo si usted la inició allí. Le llevará una dirección con la que se inicia la sesión. Si otra persona se la ha pedido o le ha enviado aquí, está intentando acceder a su cuenta.',
    offerChoice: 'Mostrarme la dirección para pegarla en mi aplicación',
    title: 'Pegue esta dirección en su aplicación',
    warning: 'No se la dé a nadie ni la escriba en ninguna otra página.',
    warningReason: 'Quien la tenga habrá iniciado sesión como usted.',
    waits: 'La aplicación espera esta dirección en el lugar donde usted la inició.',
    lifetime: {
      one: 'La dirección sirve una sola vez, durante {count} segundo.',
      other: 'La dirección sirve una sola vez, durante {count} segundos.',
    },
    address: 'Dirección',
    notStarted: 'Si no ha iniciado usted la aplicación, cierre esta página.',
    thenDisconnect: 'Después, desconéctela en {connectedApps}.',
    deniedTitle: 'No se ha concedido ningún acceso',
    denied: 'Puede detener la aplicación donde la inició y cerrar esta página.',
  },
  openApp: {
    title: 'Volver a {app}',
    unnamedTitle: 'Volver a la aplicación',
    allowed: 'Ha permitido el acceso. Su navegador abre ahora la aplicación, o se lo pregunta antes.',
    denied: 'La aplicación no ha obtenido acceso. Su navegador la abre ahora, o se lo pregunta antes.',
    open: 'Abrir la aplicación',
    lifetime: {
      one: 'Si la aplicación no se abre, use el botón. Funciona una sola vez, durante {count} segundo.',
      other: 'Si la aplicación no se abre, use el botón. Funciona una sola vez, durante {count} segundos.',
    },
    close: 'Cuando haya vuelto a la aplicación, puede cerrar esta página.',
  },
  formPost: {
    text: 'Su navegador lleva ahora la respuesta a la aplicación. Si no ocurre nada, use el botón.',
    button: 'Continuar',
  },
  stepUp: {
    title: 'Aquí no basta con una contraseña.',
    reason:
      'La aplicación pide un inicio de sesión que nadie pueda imitar con una página falsa o una contraseña robada: use su llave de acceso (passkey).',
    button: 'Iniciar sesión con una llave de acceso',
    noPasskey:
      '¿Aún no tiene una llave de acceso? Añada una en {account} y vuelva a empezar en la aplicación.',
    account: 'su cuenta',
    unsupported: 'Este navegador no ofrece llaves de acceso aquí. Pruebe con otro.',
  },
  signInRefused: {
    denied: '{provider} no ha iniciado su sesión. Puede intentarlo de nuevo o iniciar sesión de otra manera.',
    notNow: 'En este momento no se puede iniciar sesión con {provider}.',
    invalid:
      'No se ha aceptado la respuesta de {provider}. Inténtelo de nuevo. Si vuelve a ocurrir, consulte al operador de este servicio.',
    expired: 'Este inicio de sesión ha tardado demasiado o empezó en otra ventana. Inténtelo de nuevo.',
    notFresh:
      'Tiene que volver a iniciar sesión, y {provider} no ha confirmado un nuevo inicio. Inicie sesión de otra manera.',
    tooLong:
      'La solicitud de la aplicación es demasiado larga para esta forma de iniciar sesión. Elija otra o vuelva a empezar en la aplicación.',
    signUpOff:
      'Con su cuenta de {provider} no se puede iniciar sesión aquí. Pida acceso al operador de este servicio.',
    emailMissing: '{provider} no ha enviado su dirección de correo. Consulte al operador de este servicio.',
    emailUnverified:
      '{provider} no ha confirmado su dirección de correo. Consulte al operador de este servicio.',
    domainNotAllowed: 'Aquí pueden iniciar sesión las cuentas de {domains}; la suya es de {domain}.',
    tenantNotAllowed:
      'Su organización en {provider} no puede iniciar sesión aquí. Consulte al operador de este servicio.',
    groupMissing:
      'Su cuenta de {provider} no está en ningún grupo que pueda iniciar sesión aquí. Consulte al operador de este servicio.',
    groupsOverage:
      '{provider} no ha indicado en qué grupos está, porque son demasiados. Consulte al operador de este servicio.',
    emailInUse:
      'Aquí hay una cuenta con esta dirección de correo. Si es suya, inicie sesión en ella y conecte {provider} allí.',
    identityInUse: 'Su cuenta de {provider} está conectada con otra cuenta de aquí.',
    adminRefused:
      '{provider} no es lo bastante seguro para la cuenta de un administrador. Inicie sesión de otra manera.',
    accountDisabled:
      'Con su cuenta de aquí no se puede iniciar sesión. Consulte al operador de este servicio.',
  },
  device: {
    codeTitle: 'Conectar un dispositivo',
    codeWrong:
      'Este código no es válido o ya no lo es. Mire de nuevo su dispositivo o vuelva a empezar en él.',
    code: 'Código',
    codeWhere: 'El código aparece en su dispositivo o en el programa que acaba de iniciar en él.',
    codeFromLink:
      'El código venía en un enlace. Continúe solo si su propio dispositivo muestra ahora el mismo código.',
    continue: 'Continuar',
    codeSent:
      'Si alguien le ha enviado un código o un enlace, cierre esta página: le daría acceso a su cuenta.',
    title: '¿Dar acceso a otro dispositivo?',
    warning: 'Si alguien le ha enviado este código, rechácelo.',
    warningReason:
      'Aquí no inicia sesión: deja que otro dispositivo actúe en su nombre, esté donde esté y lo tenga quien lo tenga.',
    theDevice: 'El dispositivo',
    itsCode: 'Su código',
    started: 'Iniciado',
    sameNetwork: '{ago}, desde la red en la que se encuentra',
    otherNetwork: '{ago}, desde una red distinta de la suya',
    unknownNetwork: '{ago}, desde una red desconocida',
    asks: 'El dispositivo solicita hacer lo siguiente en su nombre:',
    allowedTitle: 'El dispositivo tiene acceso',
    allowed:
      'Vuelva al dispositivo: {app} continuará por sí sola en unos segundos. Puede cerrar esta página.',
    notYours: 'Si no inició esto en un dispositivo propio, desconéctelo ahora en {connectedApps}.',
    deniedTitle: 'No se ha concedido ningún acceso',
    denied: '{app} no obtiene acceso en el dispositivo. Puede cerrar esta página.',
  },
  requests: {
    title: 'Solicitudes',
    intro:
      'Las aplicaciones que trabajan para usted sin su navegador preguntan aquí. Una solicitud caduca a los pocos minutos.',
    none: 'No tiene solicitudes pendientes.',
    view: 'Ver la solicitud',
    quoted: '«{message}»',
    unanswered: 'Aplicaciones cuya solicitud terminó sin respuesta',
    silence: 'No permitir que vuelva a preguntar',
    silenced: 'Aplicaciones que no pueden preguntarle',
    letAsk: 'Permitir que vuelva a preguntar',
    askTitle: 'Una aplicación pide su aprobación',
    warning: 'Rechácela si no la esperaba.',
    warningReason: 'Usted no ha iniciado esto aquí: la aplicación pregunta por sí sola, cuando ella quiere.',
    theApp: 'La aplicación',
    says: 'La aplicación dice',
    asked: 'Solicitado',
    askedFrom: '{ago}, desde la red {network}',
    asks: 'La aplicación solicita hacer lo siguiente en su nombre:',
    never: 'Si la rechazo: esta aplicación no puede volver a preguntarme',
    allowedTitle: 'La aplicación tiene acceso',
    allowed: '{app} continuará por sí sola en unos segundos. Puede cerrar esta página.',
    mistake: 'Si fue un error, desconéctela ahora en {connectedApps}.',
    deniedTitle: 'No se ha concedido ningún acceso',
    denied: '{app} no obtiene acceso. Puede cerrar esta página.',
    blocked: '{app} no puede preguntarle antes del {time}. Puede cambiarlo en la página de solicitudes.',
    once: {
      allowedTitle: 'Permitido una vez',
      allowed:
        'Puede hacerse una vez, en los próximos minutos. {app} no ha obtenido ningún otro acceso. Puede cerrar esta página.',
      deniedTitle: 'Denegado',
      denied: 'No se hará. Puede cerrar esta página.',
    },
  },
  logout: {
    title: '¿Cerrar la sesión?',
    askedByApp: 'Una aplicación que se llama a sí misma {app} solicita cerrar su sesión en {brand}.',
    askedByLink: 'Un enlace solicita cerrar su sesión en {brand}.',
    appsKeepAccess:
      'Las aplicaciones que ya permitió conservan su acceso, también las de línea de comandos, salvo las que terminan con su sesión.',
    disconnect: 'Puede desconectarlas en {connectedApps}.',
    signOut: 'Cerrar sesión',
    stay: 'Mantener la sesión',
    signedOutTitle: 'Ha cerrado la sesión',
  },
  connectedApps: {
    title: 'Aplicaciones conectadas',
    intro:
      'Si desconecta una aplicación, esta pierde el acceso de inmediato y tiene que volver a solicitárselo.',
    used: 'Una aplicación cuenta como usada cuando renueva su acceso, aproximadamente una vez por hora mientras está en marcha.',
    none: 'Ninguna aplicación puede hacer nada en su nombre.',
    noneHere: 'No hay aplicaciones en esta página.',
    expired:
      'No se ha cambiado nada: esta página estuvo abierta demasiado tiempo o ha vuelto a iniciar sesión desde entonces. Inténtelo de nuevo.',
    disconnected: 'Desconexión realizada: {app} ya no puede hacer nada en su nombre.',
    named: 'Ahora la aplicación se llama {app} en esta página.',
    unregistered: 'Una aplicación que ya no está registrada',
    callsItself: 'La aplicación se llama a sí misma {app}.',
    unverified: 'Ella misma eligió este nombre.',
    runsOn: 'Se ejecuta en',
    otherDevice: 'otro dispositivo',
    otherDeviceFrom: 'otro dispositivo, que lo solicitó desde {network}',
    allowedBy: 'Permitido por',
    verifiedAddress: 'Dirección verificada',
    firstUsed: 'Primer uso',
    lastUsed: 'Último uso',
    mayDo: 'Lo que puede hacer',
    yourName: 'El nombre que usted le da',
    yourNameFor: 'El nombre que usted da a {app}',
    save: 'Guardar',
    disconnect: 'Desconectar',
    disconnectApp: 'Desconectar {app}',
    installations: { one: '{count} instalación.', other: '{count} instalaciones.' },
    disconnectAll: { other: 'Desconectar las {count}' },
    disconnectAllOf: '{all} instalaciones de {app}',
    pages: 'Páginas',
    firstPage: 'Primera página',
    nextPage: 'Página siguiente',
  },
  personalTokens: {
    title: 'Tokens de acceso personales',
    intro:
      'Para un script o un servidor de compilación, donde ningún navegador puede iniciar su sesión. Quien tenga un token puede hacer en su nombre lo que este permite.',
    none: 'No tiene ningún token.',
    made: 'Su token {label}',
    copyNow: 'Cópielo ahora: no se volverá a mostrar.',
    secret: 'Guárdelo como una contraseña. No lo escriba en código fuente ni se lo dé a nadie.',
    token: 'Token',
    copy: 'Copiar',
    copied: 'Copiado',
    make: 'Nuevo token',
    name: 'Nombre',
    nameHint: 'Para usted, por ejemplo el programa y el equipo.',
    mayDo: 'Lo que puede hacer',
    worksAt: 'Dónde sirve',
    expiresAfter: 'Caduca después de',
    days: { one: '{count} día', other: '{count} días' },
    submit: 'Crear token',
    created: 'Creado',
    expires: 'Caduca',
    never: 'nunca',
    expiresSoon: 'Caduca pronto',
    lastUsed: 'Último uso',
    notYet: 'todavía no',
    usedFrom: '{time}, desde {network}',
    end: 'Revocar',
    endToken: 'Revocar {label}',
    ended: 'El token {label} está revocado. Ya no sirve en ningún sitio.',
    notFresh: 'Para crear un token, confirme que es usted.',
    signInAgain: 'Iniciar sesión de nuevo',
    expired:
      'No se ha cambiado nada: esta página estuvo abierta demasiado tiempo o ha vuelto a iniciar sesión desde entonces. Inténtelo de nuevo.',
    incomplete:
      'No se ha creado ningún token. Dele un nombre de 60 caracteres como máximo y marque lo que puede hacer y dónde sirve.',
    full: 'No se ha creado ningún token: ya tiene tantos como puede tener una persona. Revoque uno que ya no necesite.',
    back: 'Volver a su cuenta',
  },
  error: {
    title: 'No se puede atender esta solicitud',
    unavailableTitle: 'El servicio no está disponible en este momento',
    unavailable: 'Inténtelo de nuevo dentro de un momento.',
    tellProgram: 'Si vuelve a ocurrir, pase el texto de abajo a la aplicación o a quien la desarrolla.',
    reference: 'Si pide ayuda, indique esta referencia: {reference}',
    forDeveloper: 'Texto para la aplicación y quien la desarrolla',
  },
  advice: {
    appMistake: 'La aplicación que le envió aquí ha cometido un error. Vuelva a ella e inténtelo de nuevo.',
    appUnknown: '{brand} no conoce esta aplicación. Vuelva a ella e inicie sesión de nuevo.',
    appNotDescribed:
      'La aplicación indica una dirección que supuestamente la describe, pero no es así. Vuelva a la aplicación e inténtelo de nuevo.',
    redirectAddress:
      'La aplicación quiere recibir la respuesta en una dirección que no está registrada para ella. No se le ha redirigido allí. Elimine la conexión en la aplicación y vuelva a añadirla: así registrará la nueva dirección.',
    redirectNotAllowed:
      'La aplicación quiere recibir la respuesta en una dirección que {brand} no permite. No se le ha redirigido allí. Solo el operador de {brand} puede permitirla.',
    requestExpired: 'Ha pasado demasiado tiempo. Vuelva a la aplicación y empiece de nuevo.',
    requestUnknown:
      'El enlace con el que la aplicación le envió no es válido. Vuelva a la aplicación y empiece de nuevo.',
    requestAnswered: 'Ya ha respondido. Vuelva a la aplicación.',
    signInNeeded: 'La aplicación quería continuar sin preguntarle, pero usted no ha iniciado sesión aquí.',
    signInDeclined: 'No ha iniciado sesión. Puede cerrar esta ventana y volver a la aplicación.',
    otherSite: 'Este formulario lo envió otro sitio, así que no se ha decidido nada. Cierre ese sitio.',
    tooManyApps: 'Se han probado demasiadas aplicaciones desconocidas. Espere un poco e inténtelo de nuevo.',
    tooManyCodes:
      'Se han probado demasiados códigos. Espere unos minutos y compruebe de nuevo el código en su dispositivo.',
    deviceExpired: 'Ha pasado demasiado tiempo. Empiece de nuevo en el dispositivo.',
    deviceAnswered: 'Ya ha respondido. Vuelva al dispositivo.',
    deviceFormExpired:
      'Esta página estuvo abierta demasiado tiempo o usted ha vuelto a iniciar sesión desde entonces. No se ha decidido nada: ábrala de nuevo y escriba otra vez el código.',
    choiceMissing: 'Faltaba una elección, así que no se decidió nada. Vuelva atrás y elija.',
    notMember: 'Usted no pertenece a esta organización.',
    noOrganization: 'Usted no pertenece a ninguna organización y este servidor exige una.',
    notShown: 'La página no mostró todo lo que pide la aplicación. Vuelva a empezar en la aplicación.',
    requestDecided: 'Ya ha respondido. No tiene que hacer nada más.',
    requestEnded: 'La solicitud ha terminado. Si la desea, la aplicación tiene que volver a preguntar.',
    requestFormExpired: 'No se ha decidido nada: abra de nuevo la página de solicitudes.',
    noRequest: 'No tiene esa solicitud. Inicie sesión con la cuenta a la que preguntó la aplicación.',
    signOutUnproven:
      'La solicitud de cierre de sesión de la aplicación no es válida, así que su sesión sigue abierta.',
    signOutAppUnknown:
      'La solicitud no indica de qué aplicación procede, así que no se le ha devuelto a ella. Su sesión sigue abierta.',
    signOutAddress:
      'La aplicación quiere que usted vuelva a una dirección que no está registrada para ella. No se le ha redirigido allí y su sesión sigue abierta.',
    signOutFormExpired:
      'Esta página estuvo abierta demasiado tiempo o usted ha cerrado o iniciado sesión desde entonces. Ahora no ha ocurrido nada.',
  },
}
