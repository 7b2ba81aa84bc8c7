package io.github.vertxrdma.functions.impl;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.HexFormat;

/**
 * Accepts the connection of one cold worker, which proves itself with a token from its standard input. Listens at a Unix socket in a folder
 * of this user, or else at a loopback port. Thread-safe.
 */
final class ColdListener implements AutoCloseable {
  /** Maximum number of peers without a token. One more closes the oldest. */
  private static final int MAX_UNPROVEN = 16;
  private static final int TOKEN_BYTES = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final ServerSocketChannel server;
  /** Folder of the Unix socket; null for a port. */
  private final Path folder;
  final String address;
  private final String token = token();
  private final String answer = token();
  private final ArrayDeque<ColdPipe> unproven = new ArrayDeque<>();
  private ColdPipe proven;
  /** Error if no thread could be started for the token; otherwise null. */
  private OutOfMemoryError threadFailure;

  private ColdListener(ServerSocketChannel server, Path folder, String address) {
    this.server = server;
    this.folder = folder;
    this.address = address;
  }

  static ColdListener open() throws IOException {
    try {
      return unix();
    } catch (IOException | UnsupportedOperationException e) {
      // The folder cannot be created, its path is too long, or there are no Unix sockets.
      return loopback();
    }
  }

  private static ColdListener unix() throws IOException {
    Path folder = Files.createTempDirectory("vertx-rdma-worker", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(
      "rwx------")));
    ServerSocketChannel server = null;
    try {
      Path socket = socket(folder);
      server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      server.bind(UnixDomainSocketAddress.of(socket));
      return new ColdListener(server, folder, ColdPipe.UNIX + socket);
    } catch (IOException | UnsupportedOperationException e) {
      if (server != null) {
        server.close();
      }
      Files.delete(folder);
      throw e;
    }
  }

  static ColdListener loopback() throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return new ColdListener(server, null, ColdPipe.LOOPBACK + server.socket().getLocalPort());
  }

  private static Path socket(Path folder) {
    return folder.resolve("socket").toAbsolutePath();
  }

  private static String token() {
    byte[] bytes = new byte[TOKEN_BYTES];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  static boolean isSame(String expected, String given) {
    return given != null && MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the token that the process sends, and the answer that it expects. */
  String tokens() {
    return token + ' ' + answer;
  }

  /**
   * Blocks until the process has connected, and closes the listener.
   *
   * @throws OutOfMemoryError if no thread can be started for the token
   */
  ColdPipe accept() throws IOException {
    try {
      while (true) {
        ColdPipe peer = new ColdPipe(server.accept());
        synchronized (this) {
          if (!server.isOpen()) {
            peer.close();
            continue;
          }
          unproven.add(peer);
          if (unproven.size() > MAX_UNPROVEN) {
            unproven.poll().close();
          }
        }
        Thread.ofVirtual().name("vertx-rdma-function-proof").start(() -> prove(peer));
      }
    } catch (ClosedChannelException e) {
      synchronized (this) {
        if (proven != null) {
          return proven;
        }
        if (threadFailure != null) {
          throw threadFailure;
        }
        throw e;
      }
    }
  }

  private void prove(ColdPipe peer) {
    try {
      if (isSame(token, peer.readLine(token.length()))) {
        peer.write(answer);
        synchronized (this) {
          if (proven == null && server.isOpen()) {
            proven = peer;
            unproven.remove(peer);
            close();
            return;
          }
        }
      }
    } catch (IOException e) {
      // Another peer, or the process has ended.
    } catch (OutOfMemoryError e) {
      // A virtual thread that waits for a socket needs a further thread of the JDK.
      synchronized (this) {
        threadFailure = e;
        close();
      }
    }
    synchronized (this) {
      unproven.remove(peer);
    }
    peer.close();
  }

  /** Closes the listener, not the accepted connection. Idempotent. */
  @Override
  public synchronized void close() {
    try {
      server.close();
      if (folder != null) {
        Files.deleteIfExists(socket(folder));
        Files.deleteIfExists(folder);
      }
    } catch (IOException e) {
      // The system deletes temporary files later.
    }
    unproven.forEach(ColdPipe::close);
    unproven.clear();
  }
}
