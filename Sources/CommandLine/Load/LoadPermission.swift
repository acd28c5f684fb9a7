internal import Cryptography
internal import Localization
internal import TransportLayer

/// Whether the operator of a server allows a load: a load is an attack if they do not.
///
/// Either the user says to be the operator, and has accounts on the server. Or the host-meta file of the domain has a link
/// that only an administrator of the domain can create, and that names the token of the user:
///
/// ```
/// {"links": [{"rel": "urn:hongyan:load", "href": "urn:hongyan:load:sha-256:…"}]}
/// ```
/// The digits are those of `printf %s TOKEN | sha256sum`, so that the file does not tell the token to everybody.
enum LoadPermission {
    static let relation = "urn:hongyan:load"
    private static let prefix = "urn:hongyan:load:sha-256:"

    /// The largest host-meta file that is read.
    private static let fileBytes = 64 << 10

    /// Whether a host-meta file allows a load to those who have the token.
    static func allows(_ file: HostMeta, token: String) -> Bool {
        let digits = Hex.encode(HashFunction.sha256.hash(Array(token.utf8)))
        return file.links.contains { link in
            link.relation == relation && link.url.lowercased() == prefix + digits
        }
    }

    /// Asks the web server of a domain.
    ///
    /// - Throws: if the file cannot be read, or does not allow it.
    static func check(
        _ token: String, _ domain: String, _ trust: TrustPolicy, _ proxy: Proxy?
    ) async throws(CommandError) {
        var configuration = HTTPClient.Configuration(trust: trust)
        configuration.proxy = proxy
        configuration.total = .seconds(30)
        let client = HTTPClient(configuration: configuration)
        var isRead = false
        for suffix in [".json", ""] {
            let url = "https://\(domain)/.well-known/host-meta\(suffix)"
            guard let body = try? await client.download(url, limit: fileBytes).body,
                let file = try? suffix.isEmpty ? HostMeta(xml: body) : HostMeta(json: body)
            else { continue }
            isRead = true
            if allows(file, token: token) { return }
        }
        throw .failed(
            isRead
                ? localized("The operator of %@ has not allowed a load with this token.", domain)
                : localized("The host-meta file of %@ cannot be read, so no load is allowed.", domain))
    }
}
