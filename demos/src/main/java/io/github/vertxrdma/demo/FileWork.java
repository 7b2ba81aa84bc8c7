package io.github.vertxrdma.demo;

import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionProvider;
import io.github.vertxrdma.functions.FunctionRegistry;
import io.github.vertxrdma.functions.RemoteFunction;
import io.vertx.core.ThreadingModel;
import io.vertx.core.buffer.Buffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.Deflater;

/** Work of the nodes on a part of a file: lines, words, SHA-256, and bytes when compressed. */
public final class FileWork implements FunctionProvider {
  static final String NAME = "demo.file-work";
  static final String ECHO = "demo.echo";
  static final int LINES = 0;
  static final int WORDS = 8;
  static final int COMPRESSED = 16;
  static final int SHA256 = 24;
  static final int RESULT = 56;

  @Override
  public void register(FunctionRegistry registry) {
    registry.register(NAME, new FunctionOptions().setIdempotent(true), RemoteFunction.of(FileWork::of));
    registry.register(ECHO, new FunctionOptions().setIdempotent(true).setThreading(ThreadingModel.EVENT_LOOP),
      RemoteFunction.of(arguments -> arguments));
  }

  static Buffer of(Buffer part) {
    byte[] bytes = part.getBytes();
    long lines = 0;
    long words = 0;
    boolean inWord = false;
    for (byte b : bytes) {
      boolean letter = (b | 0x20) >= 'a' && (b | 0x20) <= 'z';
      lines += b == '\n' ? 1 : 0;
      words += letter && !inWord ? 1 : 0;
      inWord = letter;
    }
    return Buffer.buffer(RESULT).appendLong(lines).appendLong(words).appendLong(compressed(bytes)).appendBytes(sha256(bytes));
  }

  private static long compressed(byte[] bytes) {
    try (Deflater deflater = new Deflater()) {
      byte[] chunk = new byte[1 << 16];
      deflater.setInput(bytes);
      deflater.finish();
      while (!deflater.finished()) {
        deflater.deflate(chunk);
      }
      return deflater.getBytesWritten();
    }
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
