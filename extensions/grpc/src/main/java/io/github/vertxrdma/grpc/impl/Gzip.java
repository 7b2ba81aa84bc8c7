package io.github.vertxrdma.grpc.impl;

import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.MessageSizeOverflowException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Messages in gzip, the only encoding besides identity. */
final class Gzip {
  static final String NAME = "gzip";

  private Gzip() {
  }

  static Buffer compress(Buffer message) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(message.length() / 2 + 32);
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(message.getBytes());
    } catch (IOException e) {
      throw new CodecException(e);
    }
    return Buffer.buffer(out.toByteArray());
  }

  /**
   * @throws CodecException if it is no gzip
   * @throws MessageSizeOverflowException if it is longer than {@code most} bytes after decompression
   */
  static Buffer decompress(Buffer message, int most) {
    try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(message.getBytes()))) {
      byte[] plain = gzip.readNBytes(most);
      if (gzip.read() >= 0) {
        throw new MessageSizeOverflowException(most + 1L);
      }
      return Buffer.buffer(plain);
    } catch (IOException e) {
      throw new CodecException("a message of " + message.length() + " bytes is no gzip: " + e.getMessage(), e);
    }
  }
}
