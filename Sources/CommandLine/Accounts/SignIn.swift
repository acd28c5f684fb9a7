internal import Cryptography
internal import TransportLayer
package import XMPPAddress
package import XMPPClient
internal import XMPPStream

/// An account with everything that is needed to connect: what the command line says, completed by what is kept.
package struct SignIn: Sendable {
    package let address: JID
    let connection: ConnectionOptions
    let password: String
    let source: PasswordSource
    /// Asks about certificates, if the person wants to be asked.
    let question: TrustQuestion?
    private let trustedCertificates: [String]

    /// Finds account, server and password.
    ///
    /// - Parameter isNew: the password is one that is being chosen: it is not looked up, and asked for twice.
    package init(_ options: ConnectionOptions, isNew: Bool = false) async throws(CommandError) {
        let accounts = try AccountFile()
        let account: AccountFile.Account?
        if let address = options.address {
            account = accounts.account(address)
        } else {
            account = accounts.current
        }
        guard let address = options.address ?? account?.address else {
            throw .usage(localized("There is no account yet; name one with --jid, or run `hongyan login` first."))
        }
        var connection = options
        if connection.host == nil {
            connection.host = account?.host
            connection.port = connection.port ?? account?.port
        }
        connection.authorityFile = connection.authorityFile ?? account?.certificateAuthority
        connection.usesDirectTLS = connection.usesDirectTLS || account?.usesDirectTLS == true
        self.address = address
        self.connection = connection
        question = connection.trust == .ask ? TrustQuestion() : nil
        trustedCertificates = account?.trustedCertificates ?? []
        (password, source) = try await PasswordSource.find(
            for: address, file: options.passwordFile, usesStore: !isNew, asksTwice: isNew)
    }

    /// The settings for the library, without extensions.
    package var configuration: ClientConfiguration {
        var configuration = ClientConfiguration(address: address, password: password)
        configuration.host = connection.host
        configuration.port = connection.port
        if connection.usesDirectTLS { configuration.encryption = .directTLS }
        configuration.trust = trust
        if let seconds = connection.timeout {
            configuration.loginTimeout = .seconds(seconds)
            configuration.requestTimeout = .seconds(seconds)
        }
        return configuration
    }

    private var trust: TrustPolicy {
        if let question { return question.policy }
        if case .pinned(let digits) = connection.trust { return .pinned([Hex.decode(digits) ?? []]) }
        if let file = connection.authorityFile { return .certificateAuthority(file) }
        if !trustedCertificates.isEmpty {
            return .pinned(trustedCertificates.compactMap { Hex.decode($0) })
        }
        return .system
    }

    /// What is kept about the account after a login, so that later commands need no options.
    var account: AccountFile.Account {
        var trusted = trustedCertificates + (question?.accepted ?? [])
        if case .pinned(let digits) = connection.trust { trusted.append(digits) }
        return AccountFile.Account(
            address: address.bare, host: connection.host, port: connection.port,
            certificateAuthority: connection.authorityFile.map(Self.absolute), usesDirectTLS: connection.usesDirectTLS,
            trustedCertificates: trusted.isEmpty ? nil : Array(Set(trusted)).sorted())
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileFolder.currentDirectory + "/" + path
    }
}
