import Foundation
import Synchronization

/// Throw-away certificates of one test run: an authority and what it issued, made once per process by the `openssl` program.
///
/// Every leaf but `wrongName` is valid for `xmpp.test`, `other.test`, their subdomains, `localhost`, 127.0.0.1 and ::1.
public struct Certificates: Sendable {
    /// Which certificate a server shows.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Issued by the authority, valid now, for the right names.
        case server
        /// Issued by the authority, but it ended on the first day of 2021.
        case expired
        /// Issued by the authority, but for `wrong.test` only.
        case wrongName = "wrongname"
        /// Right names, but signed by itself.
        case selfSigned = "selfsigned"
    }

    public let directory: String
    /// PEM file of the authority; the file a client is told to trust.
    public var authorityFile: String { "\(directory)/ca.crt" }

    public func certificateFile(_ kind: Kind) -> String { "\(directory)/\(kind.rawValue).crt" }
    public func keyFile(_ kind: Kind) -> String { "\(directory)/\(kind.rawValue).key" }

    private static let once = Mutex<Result<Certificates, FixtureError>?>(nil)

    /// The certificates of this test run.
    public static var shared: Certificates {
        get async throws(FixtureError) { try await onOwnThread { () throws(FixtureError) in try made() } }
    }

    /// The same for a caller that is on a thread of its own; the first one makes them, others wait for it.
    static func made() throws(FixtureError) -> Certificates {
        try once.withLock { once in
            let result =
                once
                ?? Result { () throws(FixtureError) in try Certificates(in: FixtureDirectory.make("certificates")) }
            once = result
            return result
        }.get()
    }

    private static let names =
        "DNS:xmpp.test,DNS:*.xmpp.test,DNS:other.test,DNS:*.other.test,DNS:localhost,IP:127.0.0.1,IP:::1"

    private init(in directory: String) throws(FixtureError) {
        self.directory = directory
        try FixtureDirectory.write(Self.configuration(directory), to: "\(directory)/openssl.cnf")
        try FixtureDirectory.write("", to: "\(directory)/index.txt")
        try FixtureDirectory.write("1000\n", to: "\(directory)/serial")
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "ca.key",
            "-out", "ca.crt", "-days", "30", "-subj", "/CN=Hongyan test authority", "-config", "openssl.cnf",
            "-extensions", "authority")
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            "selfsigned.key", "-out", "selfsigned.crt", "-days", "30", "-subj", "/CN=xmpp.test", "-config",
            "openssl.cnf", "-extensions", "leaf")
        try issue(.server, dates: ["-days", "30"])
        try issue(.wrongName, extensions: "wrong_leaf", dates: ["-days", "30"])
        try issue(.expired, dates: ["-startdate", "20200101000000Z", "-enddate", "20210101000000Z"])
        // The server may run as another user. These keys protect nothing.
        for kind in Kind.allCases { chmod(keyFile(kind), 0o644) }
    }

    /// `openssl ca` and not `openssl x509 -req`: in OpenSSL 3.0 only the former can set a date in the past.
    private func issue(_ kind: Kind, extensions: String = "leaf", dates: [String]) throws(FixtureError) {
        let name = kind.rawValue
        try openssl(
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            "\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(name)", "-config", "openssl.cnf")
        try openssl(
            ["ca", "-batch", "-config", "openssl.cnf", "-notext", "-in", "\(name).csr", "-out", "\(name).crt"]
                + ["-extensions", extensions] + dates)
    }

    /// A certificate of the authority for an account (XEP-0178 §3, `id-on-xmppAddr`), and its key, which only its owner can
    /// read.
    public func issueClient(
        _ address: String, passphrase: String? = nil
    ) throws(FixtureError) -> (certificate: String, key: String) {
        let name = "client-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        let extensions = """
            [client]
            basicConstraints = CA:FALSE
            keyUsage = digitalSignature
            extendedKeyUsage = clientAuth
            subjectAltName = otherName:1.3.6.1.5.5.7.8.5;UTF8:\(address)

            """
        try FixtureDirectory.write(extensions, to: "\(directory)/\(name).cnf")
        try openssl(
            ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
                + (passphrase.map { ["-passout", "pass:\($0)"] } ?? ["-nodes"])
                + ["-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(name)", "-config", "openssl.cnf"])
        chmod("\(directory)/\(name).key", 0o600)
        try openssl(
            "x509", "-req", "-in", "\(name).csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-set_serial",
            "\(UInt32.random(in: 1...UInt32.max))", "-days", "30", "-extfile", "\(name).cnf", "-extensions", "client",
            "-out", "\(name).crt")
        return ("\(directory)/\(name).crt", "\(directory)/\(name).key")
    }

    private func openssl(_ arguments: String...) throws(FixtureError) { try openssl(arguments) }

    private func openssl(_ arguments: [String]) throws(FixtureError) {
        try Command(
            program: "openssl", arguments: arguments, directory: directory, outputFile: "\(directory)/openssl.log"
        ).run()
    }

    private static func configuration(_ directory: String) -> String {
        """
        [req]
        distinguished_name = name
        prompt = no
        [name]
        [ca]
        default_ca = test
        [test]
        database = \(directory)/index.txt
        serial = \(directory)/serial
        new_certs_dir = \(directory)
        certificate = \(directory)/ca.crt
        private_key = \(directory)/ca.key
        default_md = sha256
        policy = policy
        [policy]
        commonName = supplied
        [authority]
        basicConstraints = critical,CA:TRUE,pathlen:0
        keyUsage = critical,keyCertSign,cRLSign
        subjectKeyIdentifier = hash
        [leaf]
        basicConstraints = CA:FALSE
        keyUsage = digitalSignature
        extendedKeyUsage = serverAuth
        subjectAltName = \(names)
        [wrong_leaf]
        basicConstraints = CA:FALSE
        keyUsage = digitalSignature
        extendedKeyUsage = serverAuth
        subjectAltName = DNS:wrong.test

        """
    }
}
