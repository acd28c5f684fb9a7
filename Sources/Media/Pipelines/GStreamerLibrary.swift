import CGStreamer

/// The GStreamer library of the process: starts it once, and checks which elements are installed.
enum GStreamerLibrary {
    private static let startFailure: MediaError? = {
        var error: UnsafeMutablePointer<GError>?
        if gst_init_check(nil, nil, &error) != 0 { return nil }
        defer { g_clear_error(&error) }
        return MediaError(
            .failed, "GStreamer does not start.", remedy: "Install the Debian package libgstreamer1.0-0 again.",
            cause: error.map { String(cString: $0.pointee.message) })
    }()

    static func start() throws(MediaError) {
        if let startFailure { throw startFailure }
    }

    /// Throws the error that names the package if one of the elements is missing.
    static func require(_ elements: some Sequence<String>) throws(MediaError) {
        // Before the start the library knows no element, so all of them would be reported as missing.
        try start()
        for name in elements {
            guard let factory = gst_element_factory_find(name) else {
                throw .missingPackage("The GStreamer element “\(name)”", package: package(of: name))
            }
            gst_object_unref(UnsafeMutableRawPointer(factory))
        }
    }

    /// The Debian package that contains an element.
    static func package(of element: String) -> String {
        switch element {
        case "filesrc", "filesink", "fakesink", "identity", "queue", "capsfilter": "libgstreamer1.0-0"
        case "pulsesrc", "pulsesink", "level", "qtdemux", "wavparse", "videoflip": "gstreamer1.0-plugins-good"
        case "scaletempo": "gstreamer1.0-plugins-good"
        default: "gstreamer1.0-plugins-base"
        }
    }

    /// The Debian package that decodes the format in an installer detail string such as `gstreamer|1.0|program|AMR
    /// decoder|decoder-audio/AMR`.
    static func package(forMissing detail: String) -> String {
        let wanted = detail.lowercased()
        if wanted.contains("mpegversion=(int)4") || wanted.contains("mpegversion=(int)2") {
            return "gstreamer1.0-libav"
        }
        if wanted.contains("audio/amr") { return "gstreamer1.0-plugins-ugly" }
        if wanted.contains("opus") || wanted.contains("vorbis") || wanted.contains("ogg") {
            return "gstreamer1.0-plugins-base"
        }
        if wanted.contains("audio/mpeg") || wanted.contains("quicktime") || wanted.contains("3gp") {
            return "gstreamer1.0-plugins-good"
        }
        return "gstreamer1.0-libav"
    }
}
