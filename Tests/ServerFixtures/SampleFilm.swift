import Foundation

/// A film of one colour, made by GStreamer's own program.
public enum SampleFilm {
    /// Ten pictures a second, red, with a tone.
    ///
    /// - Returns: the path of a new file in WebM, which the test removes.
    public static func make(
        _ width: Int, _ height: Int, hasSound: Bool = true, seconds: Int = 2
    ) async throws(FixtureError) -> String {
        let path = NSTemporaryDirectory() + "video-\(UUID().uuidString).webm"
        let picture =
            "videotestsrc num-buffers=\(seconds * 10) pattern=solid-color foreground-color=0xffd02020"
            + " ! video/x-raw,width=\(width),height=\(height),framerate=10/1 ! vp8enc deadline=1 ! webmmux name=mux"
        let sound =
            hasSound
            ? " audiotestsrc num-buffers=\(seconds * 43) ! audio/x-raw,rate=44100 ! vorbisenc ! mux." : ""
        let words = "gst-launch-1.0 -q " + picture + " ! filesink location=\(path)" + sound
        _ = try await OutsideProgram.run(words.split(separator: " ").map(String.init))
        return path
    }
}
