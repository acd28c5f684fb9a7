import Foundation
import ServerFixtures
import Synchronization
import Testing

/// A small HTTP server in Python, with or without TLS, on a port of its own.
struct HTTPServer: Sendable {
    let port: UInt16
    let isSecure: Bool
    private let process: TestProcess

    init(_ kind: Certificates.Kind? = .server) async throws {
        var arguments = ["python3", "-u", "-c", Self.script]
        if let kind {
            let certificates = try await Certificates.shared
            arguments += [certificates.certificateFile(kind), certificates.keyFile(kind)]
        }
        process = try await TestProcess(arguments)
        isSecure = kind != nil
        let line = try await process.line(containing: "PORT")
        port = try #require(line.split(separator: " ").last.flatMap { UInt16($0) })
    }

    func url(_ path: String, host: String = "localhost") -> String {
        "\(isSecure ? "https" : "http")://\(host):\(port)\(path)"
    }

    func stop() { process.stop() }

    /// Paths: /bytes/N sends N bytes, /stall begins and stops, /drip never stops for long and never ends, /to/URL redirects, /loop redirects to itself, /echo tells the header fields; PUT keeps
    /// the body, GET of the same path gives it back.
    private static let script = #"""
        import http.server, ssl, sys, threading, time, urllib.parse
        store = {}
        class H(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *a): pass
            def answer(self, status, body=b"", **fields):
                self.send_response(status)
                for k, v in fields.items(): self.send_header(k.replace("_", "-"), v)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do_GET(self):
                p = self.path
                if p.startswith("/bytes/"): self.answer(200, bytes(i * 7 % 251 for i in range(int(p[7:]))))
                elif p.startswith("/to/"): self.answer(302, Location=urllib.parse.unquote(p[4:]))
                elif p == "/loop": self.answer(302, Location="/loop")
                elif p == "/echo": self.answer(200, "".join(f"{k}: {v}\n" for k, v in self.headers.items()).encode())
                elif p == "/endless":
                    self.send_response(200); self.end_headers()
                    try:
                        while True: self.wfile.write(b"x" * 65536)
                    except OSError: pass
                    self.close_connection = True
                elif p == "/drip":
                    self.send_response(200); self.send_header("Content-Length", "1000000"); self.end_headers()
                    try:
                        while True:
                            self.wfile.write(b"x" * 8); self.wfile.flush(); time.sleep(0.05)
                    except OSError: pass
                    self.close_connection = True
                elif p == "/stall":
                    self.send_response(200); self.send_header("Content-Length", "1000"); self.end_headers()
                    self.wfile.write(b"x"); self.wfile.flush()
                    try: self.rfile.read(1)
                    except OSError: pass
                    self.close_connection = True
                elif p in store: self.answer(200, store[p])
                else: self.answer(404, b"no such file")
            def do_PUT(self):
                if self.path == "/refused": return self.answer(403)
                if self.path == "/moved": return self.answer(307, Location="/elsewhere")
                store[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
                self.answer(201, X_Type=self.headers.get("Content-Type", ""))
        class S(http.server.ThreadingHTTPServer):
            daemon_threads = True
            # With it the kernel may give two programs the same free port, and the second cannot listen.
            allow_reuse_address = False
            def handle_error(self, *a): pass
        s = S(("127.0.0.1", 0), H)
        if len(sys.argv) > 2:
            c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            c.load_cert_chain(sys.argv[1], sys.argv[2])
            s.socket = c.wrap_socket(s.socket, server_side=True, do_handshake_on_connect=False)
        print("PORT", s.server_address[1])
        s.serve_forever()
        """#
}
