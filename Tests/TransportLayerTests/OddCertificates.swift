/// Certificates for rare cases, created once per test run by `openssl`.
struct OddCertificates: Sendable {
    let directory: String

    static let shared = Task { try await OddCertificates() }

    var authority: String { "\(directory)/ca.crt" }
    /// The authority and its revocation list.
    var authorityWithList: String { "\(directory)/ca+crl.pem" }

    func certificate(_ name: String) -> String { "\(directory)/\(name).crt" }
    func key(_ name: String) -> String { "\(directory)/\(name).key" }

    private init() async throws {
        directory = try await TestProcess.run(["sh", "-euc", Self.script])
    }

    private static let script = #"""
        chmod 755 .; : > index.txt; echo 1000 > serial; echo 01 > crlnumber
        new() { openssl req -new -newkey $1 -nodes -keyout $2.key -out $2.csr -subj "$3" -config c; }
        cat > c <<'E'
        [req]
        distinguished_name=n
        prompt=no
        [n]
        [ca]
        default_ca=t
        [t]
        database=index.txt
        serial=serial
        crlnumber=crlnumber
        new_certs_dir=.
        certificate=ca.crt
        private_key=ca.key
        default_md=sha256
        default_crl_days=30
        policy=p
        [p]
        commonName=supplied
        [a]
        basicConstraints=critical,CA:TRUE
        keyUsage=critical,keyCertSign,cRLSign
        subjectKeyIdentifier=hash
        [good]
        subjectAltName=DNS:xmpp.test
        [wildcard]
        subjectAltName=DNS:*.xmpp.test
        [service]
        subjectAltName=otherName:1.3.6.1.5.5.7.8.7;IA5:_xmpp-client.xmpp.test
        [address]
        subjectAltName=otherName:1.3.6.1.5.5.7.8.5;UTF8:xmpp.test
        [ip]
        subjectAltName=IP:127.0.0.1,IP:::1
        [bare]
        basicConstraints=CA:FALSE
        [client]
        subjectAltName=DNS:xmpp.test
        extendedKeyUsage=clientAuth
        E
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.crt -days 30 \
          -subj "/O=Odd/CN=Odd authority" -config c -extensions a
        issue() { # name extensions kind dates...
          name=$1 ext=$2 kind=$3; shift 3
          new "$kind" $name "/CN=xmpp.test"
          openssl ca -batch -config c -notext -in $name.csr -out $name.crt -extensions $ext "$@"
        }
        EC="ec -pkeyopt ec_paramgen_curve:prime256v1"
        : > index.txt.attr; echo unique_subject=no > index.txt.attr
        for e in good wildcard service address ip bare client; do issue $e $e "$EC" -days 30; done
        issue rsa good rsa:2048 -days 30
        issue ed25519 good ed25519 -days 30
        issue weak good rsa:1024 -days 30
        issue future good "$EC" -startdate 20900101000000Z -enddate 20910101000000Z
        issue revoked good "$EC" -days 30
        openssl ca -batch -config c -revoke revoked.crt
        openssl ca -batch -config c -gencrl -out crl.pem
        cat ca.crt crl.pem > ca+crl.pem
        chmod 644 *.key
        """#
}
