package io.github.vertxrdma.grpc.impl;

import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.MessageSizeOverflowException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;

/** Compression of messages: gzip (RFC 1952) with one member. */
final class Gzip {
  static final String NAME = "gzip";
  private static final int MAGIC = 0x1f8b;
  private static final int DEFLATE = 8;
  private static final int HEADER = 10;
  /** Bytes of checksum and length. */
  private static final int TRAILER = 8;
  private static final int HEADER_CRC = 2;
  private static final int EXTRA = 4;
  private static final int NAME_OF_FILE = 8;
  private static final int COMMENT = 16;

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
   * Decompresses a message. Uses no more memory than {@code most} permits, whatever the bytes are.
   *
   * @throws CodecException if the message is not one member of gzip
   * @throws MessageSizeOverflowException if it is longer than {@code most} bytes after decompression
   */
  static Buffer decompress(Buffer message, int most) {
    byte[] bytes = message.getBytes();
    int body = header(bytes);
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(bytes, body, bytes.length - body);
      byte[] plain = new byte[(int) Math.min(most, Math.max(64L, 4L * bytes.length))];
      int length = 0;
      while (true) {
        length += inflater.inflate(plain, length, plain.length - length);
        if (inflater.finished()) {
          break;
        }
        if (length < plain.length) {
          throw invalid(bytes, "it is incomplete");
        }
        if (length == most) {
          if (inflater.inflate(new byte[1]) > 0) {
            throw new MessageSizeOverflowException(most + 1L);
          }
          if (!inflater.finished()) {
            throw invalid(bytes, "it is incomplete");
          }
          break;
        }
        plain = Arrays.copyOf(plain, (int) Math.min(most, 2L * plain.length));
      }
      checkTrailer(bytes, inflater.getRemaining(), plain, length);
      return Buffer.buffer(length == plain.length ? plain : Arrays.copyOf(plain, length));
    } catch (DataFormatException e) {
      throw invalid(bytes, e.getMessage());
    } finally {
      inflater.end();
    }
  }

  private static int header(byte[] bytes) {
    if (bytes.length < HEADER + TRAILER || ((bytes[0] & 0xff) << 8 | bytes[1] & 0xff) != MAGIC || bytes[2] != DEFLATE) {
      throw invalid(bytes, "its header is not of gzip");
    }
    int flags = bytes[3];
    int at = HEADER;
    if ((flags & EXTRA) != 0) {
      at += 2 + (at + 2 > bytes.length ? 0 : bytes[at] & 0xff | (bytes[at + 1] & 0xff) << 8);
    }
    if ((flags & NAME_OF_FILE) != 0) {
      at = behindZero(bytes, at);
    }
    if ((flags & COMMENT) != 0) {
      at = behindZero(bytes, at);
    }
    if ((flags & HEADER_CRC) != 0) {
      at += 2;
    }
    if (at > bytes.length - TRAILER) {
      throw invalid(bytes, "its header is incomplete");
    }
    return at;
  }

  private static int behindZero(byte[] bytes, int from) {
    int at = from;
    while (at < bytes.length && bytes[at] != 0) {
      at++;
    }
    return at + 1;
  }

  private static void checkTrailer(byte[] bytes, int remaining, byte[] plain, int length) {
    if (remaining != TRAILER) {
      throw invalid(bytes, remaining < TRAILER ? "it is incomplete" : "it has more than one member");
    }
    ByteBuffer trailer = ByteBuffer.wrap(bytes, bytes.length - TRAILER, TRAILER).order(ByteOrder.LITTLE_ENDIAN);
    CRC32 checksum = new CRC32();
    checksum.update(plain, 0, length);
    if (trailer.getInt() != (int) checksum.getValue() || trailer.getInt() != length) {
      throw invalid(bytes, "its checksum or length is wrong");
    }
  }

  private static CodecException invalid(byte[] bytes, String why) {
    return new CodecException("a message of " + bytes.length + " bytes is not valid gzip: " + why);
  }
}
