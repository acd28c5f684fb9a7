import Hongyan
import Testing

// Documentation/Migration.md shows the lines of this file beside those of XMPPFramework. What compiles here is not run.

private func configure() throws {
    var configuration = ClientConfiguration(address: try JID("juliet@example.org/balcony"), password: "secret")
    configuration.host = nil
    configuration.transports = .network
    configuration.host = "192.168.2.27"
    configuration.port = 5222
    configuration.encryption = .required
    configuration.trust = .certificateAuthority("/etc/ssl/private-ca.pem")
    configuration.loginTimeout = .seconds(30)
    configuration.reconnection = .standard
    configuration.keepAlive = .standard
    configuration.usesStreamManagement = true
    configuration.negotiation = .standard.binding(with: DeviceBinding())
    configuration.resourceConflict = .letServerChoose

    configuration.add { Roster($0) }
    configuration.add { GroupChat($0) }
    configuration.add { PublishSubscribe($0) }
    configuration.add { ServiceDiscovery($0) }
    configuration.add { MessageArchive($0) }
    configuration.add { _ in Carbons() }
    configuration.add { _ in DeliveryReceipts() }
    configuration.add { Profiles($0) }
    configuration.add { Blocking($0) }
    configuration.add { FileSharing($0) }
    configuration.add { _ in EntityInformation() }
    var contacts = RosterPolicy()
    contacts.fetchesAutomatically = false
    contacts.acceptsKnownRequests = true
    configuration.add { [contacts] in Roster($0, policy: contacts) }
    configuration.interceptors.append(SpamFilter())
}

private func serve() async throws {
    let configuration = ComponentConfiguration(domain: try JID("bots.example.org"), secret: "secret")
    let component = Component(configuration)
    try await component.run { session in
        await session.close()
    }
}

private func run(_ client: Client) async throws {
    try await client.registerAccount()
    try await client.run { session in
        try await session.send(Presence())
        await session.close()
    }
}

private func send(_ session: Session, _ juliet: JID) async throws {
    let token = try await session.send(.chat(to: juliet, body: "Art thou not Romeo?"))
    try await token.reached(.acknowledged)
    let version = try await session.request(SoftwareVersionRequest(), to: juliet)
    try await session.send(Presence(show: .away, status: "In the garden", priority: 5))
    _ = try await session.resendPresence()
    let element = try XMLElement(parsing: "<weather xmlns='urn:example:weather'/>")
    try await session.send(element: element)
    print(element["seconds"].flatMap { Int($0) } ?? 0, try XMPPURI("xmpp:romeo@example.net?message"))
    let online = await session.isOnline
    let own = await session.address
    let presence = await session.presence
    let bytes = await session.traffic.bytesSent
    _ = (version, online, own, presence, bytes)
}

private func stanzas(_ juliet: JID, _ presence: Presence, _ iq: IQ) {
    var message = Message(to: juliet, type: .chat)
    message.subject = "Balcony"
    message.setBody("Sei tu Romeo?", language: "it")
    message.thread = Message.Thread(id: "night")
    print(message.subject ?? "", message.thread?.id ?? "", message.body(language: "it") ?? "")
    print(message.isChatMessage, message.isChatMessageWithBody, message.isMessageWithBody)
    print(message.isErrorMessage, message.error as Any, presence.isErrorPresence)
    print(iq.isGet, iq.isSet, iq.isResult, iq.isError, iq.payload as Any, iq.error as Any)
}

/// Observers of an extension of one's own.
private let forecasts = EventChannel<String>()

private func observe(_ session: Session) async {
    for await batch in session.events() {
        for event in batch {
            switch event {
            case .message(let message): print(message.body ?? "")
            case .presence(let presence): print(presence.showValue)
            case .iq(let iq): print(iq.requiresResponse)
            case .element(let element): print(element.name)
            case .filtered(let stanza, .incoming): print(stanza)
            case .filtered(let stanza, .outgoing): print(stanza)
            case .sent(let token): print(token.id)
            case .acknowledged(let token): print(token.id)
            case .sendingFailed(_, let error): print(error)
            case .presenceChanged(let presence): print(presence)
            case .elementSent(let element): print(element.name)
            case .extensionAdded(let instance): print(type(of: instance))
            case .extensionRemoved(let instance): print(type(of: instance))
            case .connection(.willConnect): break
            case .connection(.connected): break
            case .connection(.negotiating): break
            case .connection(.secured(let information)): print(information)
            case .connection(.opened(let features)): print(features)
            case .connection(.authenticationFailed(let error)): print(error)
            case .connection(.online(let address, _)): print(address)
            case .connection(.addressChanged(let address)): print(address)
            case .connection(.streamError(let error)): print(error)
            case .connection(.closeRequested): break
            case .connection(.closingSent): break
            case .connection(.timedOut): break
            case .connection(.disconnected(let error, _)): print(error as Any)
            default: break
            }
        }
    }
}

/// The methods of XMPPStreamDelegate that return a stanza.
private struct SpamFilter: StanzaInterceptor {
    func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        guard case .message(let message) = stanza, message.body?.contains("buy now") == true else {
            return .pass(stanza)
        }
        return .drop
    }

    func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception { .pass(stanza) }
}

/// An XMPPModule of one's own.
private struct Weather: SessionExtension {
    var handlers: [IQHandler] {
        [IQHandler(SoftwareVersionRequest.self) { _, _ in SoftwareVersion(softwareName: "Weather", version: "1") }]
    }

    func sessionStarted(_ session: Session, isResumed: Bool) async throws {}
    func sessionEnded(_ session: Session) async {}
}

/// An XMPPCustomBinding of one's own.
private struct DeviceBinding: CustomBinding {
    let feature = XMLName("device", "urn:example:device")
    func begin(for account: JID) -> CustomBindingStep { .standard }
    func received(_ element: XMLElement) -> CustomBindingStep { .wait }
}

private func modules(_ session: Session) async throws {
    try await session.add { _ in Weather() }
    await session.remove(Weather.self)
    try await session.add { SessionLog($0, .wire) { _, line in print(line) } }
}

private func addresses() throws {
    let address = try JID("juliet@example.org/balcony")
    let same = try JID(local: "juliet", domain: "example.org", resource: "balcony")
    print(address.local ?? "", address.domain, address.resource ?? "", address.bare, address == same)
    print(address.bare == same.bare)
}

private func contacts(_ session: Session, _ nurse: JID) async throws {
    guard let roster = session[Roster.self] else { return }
    try await roster.fetch()
    _ = try await roster.add(nurse, name: "Nurse")
    try await roster.askAgain(nurse)
    let isThere = await roster.contact(nurse) != nil
    print(isThere)
    try await roster.accept(nurse)
    try await roster.reject(nurse)
    try await roster.remove(nurse)
    try await roster.rename(nurse, to: "Angelica")
    for contact in await roster.contacts { print(contact.displayName, contact.section) }
    for await batch in await roster.events() {
        for event in batch {
            switch event {
            case .populating, .populated: break
            case .item(let item): print(item.subscription)
            case .request(let address, _): print(address)
            default: break
            }
        }
    }
}

private func rooms(_ session: Session, _ address: JID, _ nurse: JID) async throws {
    guard let chat = session[GroupChat.self] else { return }
    let room = try await chat.enter(address, nickname: "Juliet")
    _ = try await room.send("Good evening")
    _ = try await room.changeSubject(to: "The ball")
    try await room.invite(nurse)
    try await room.configure(["muc#roomconfig_persistentroom": ["1"]])
    await room.leave()
}

private func services(_ session: Session, _ service: JID, _ nurse: JID) async throws {
    guard let nodes = session[PublishSubscribe.self], let profiles = session[Profiles.self],
        let archive = session[MessageArchive.self], let blocking = session[Blocking.self],
        let files = session[FileSharing.self], let discovery = session[ServiceDiscovery.self]
    else { return }
    _ = try await nodes.subscribe(to: "princely_musings", at: service)
    for await notice in nodes.notices() { print(notice) }
    _ = try await profiles.card(of: nurse)
    _ = try await profiles.avatar(of: nurse)
    for try await page in archive.pages(filter: ArchiveFilter(with: nurse), from: .newest(100)) { print(page.messages) }
    try await blocking.block(nurse)
    _ = try await files.upload(fileAt: "goose.png", size: 1024, name: "goose.png", mediaType: "image/png")
    _ = try await discovery.information(of: nurse)
    _ = try await session.ping(nurse)
}
