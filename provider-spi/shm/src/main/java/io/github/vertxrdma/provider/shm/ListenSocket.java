package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;

/** A socket of unix(7) that others connect to. */
interface ListenSocket extends SocketSet.Watched {

  /** The next that has connected, null if there is none. @throws ProviderException if this process has no room for it now */
  LocalSocket accept();

  void close();
}
