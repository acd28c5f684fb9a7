/// What the scripted conversation sends: pictures and a tune that the program makes itself.
public enum SampleMedia {
    /// A field of coloured squares, large enough to be worth an upload.
    public static var picture: [UInt8] {
        var canvas = PixelCanvas(width: 480, height: 320, background: .init(0xF4, 0xEF, 0xE2))
        for row in 0..<8 {
            for column in 0..<12 {
                let shade = UInt8((row * 12 + column) * 2)
                canvas.fill(
                    x: column * 40 + 2, y: row * 40 + 2, width: 36, height: 36, .init(shade, 0x70, 0xE0 - shade))
            }
        }
        return canvas.png
    }

    /// An envelope, small enough to travel inside a message.
    public static var smallPicture: [UInt8] {
        var canvas = PixelCanvas(width: 64, height: 48, background: .init(0xFF, 0xFF, 0xFF))
        let envelope = [
            "bbbbbbbbbbbb", "bwb      bwb", "b wb    bw b", "b  wbbbbw  b", "b    ww    b", "b          b",
            "bbbbbbbbbbbb",
        ]
        canvas.draw(envelope, scale: 4, x: 8, y: 10, ["b": .init(0x20, 0x50, 0x90), "w": .init(0x90, 0xB0, 0xD0)])
        return canvas.png
    }

    /// Five notes that rise.
    public static var sound: [UInt8] {
        Synthesizer.wav([262, 294, 330, 392, 440].map { Synthesizer.Tone($0, milliseconds: 220, roughness: 0.15) })
    }
}
