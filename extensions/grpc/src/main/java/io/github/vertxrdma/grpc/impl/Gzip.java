package io.github.vertxrdma.grpc.impl;

import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.MessageSizeOverflowException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/** Compression of messages: gzip (RFC 1952) with one member and no optional fields. */
final class Gzip {
  static final String NAME = "gzip";
  /** First bytes of a message: magic number, deflate method, no flags. */
  private static final int START = 0x1f8b0800;
  private static final int HEADER = 10;
  /** Number of bytes of checksum and length. */
  private static final int TRAILER = 8;

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
   * Decompresses a message with at most about twice {@code most} bytes of memory. {@code GZIPInputStream} calls itself for each further
   * member, so that a peer could overflow the stack.
   *
   * @throws CodecException if the message is not gzip with one member
   * @throws MessageSizeOverflowException if it is longer than {@code most} bytes after decompression
   */
  static Buffer decompress(Buffer message, int most) {
    byte[] bytes = message.getBytes();
    if (bytes.length < HEADER + TRAILER || message.getInt(0) != START) {
      throw invalid(bytes, "its header is not of gzip, or has optional fields");
    }
    Inflater inflater = new Inflater(true);
    try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(bytes, HEADER, bytes.length - HEADER), inflater)) {
      byte[] plain = in.readNBytes(most);
      if (in.read() >= 0) {
        throw new MessageSizeOverflowException(most + 1L);
      }
      checkTrailer(bytes, HEADER + (int) inflater.getBytesRead(), plain);
      return Buffer.buffer(plain);
    } catch (IOException e) {
      throw invalid(bytes, e.getMessage());
    } finally {
      inflater.end();
    }
  }

  private static void checkTrailer(byte[] bytes, int at, byte[] plain) {
    if (bytes.length - at != TRAILER) {
      throw invalid(bytes, bytes.length - at < TRAILER ? "it is incomplete" : "it has more than one member");
    }
    ByteBuffer trailer = ByteBuffer.wrap(bytes, at, TRAILER).order(ByteOrder.LITTLE_ENDIAN);
    CRC32 checksum = new CRC32();
    checksum.update(plain);
    if (trailer.getInt() != (int) checksum.getValue() || trailer.getInt() != plain.length) {
      throw invalid(bytes, "its checksum or length is wrong");
    }
  }

  private static CodecException invalid(byte[] bytes, String why) {
    return new CodecException("a message of " + bytes.length + " bytes is not valid gzip: " + why);
  }
}
