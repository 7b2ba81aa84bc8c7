package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import java.util.Set;

/** Changes the access rights of a registered region; ibv_rereg_mr(3). siw does not support this, nor does rxe before rdma-core 49. */
public final class Reregistration {
  private Reregistration() {
  }

  /**
   * Changes the access rights of a region that no operation uses. Its {@link MemoryRegion#remoteKey()} may change. Blocks. Thread-safe.
   *
   * @throws ProviderException {@code UNSUPPORTED} if the device cannot change access rights: the region is unchanged. {@code INVALID} if
   * the region is closed, read-only or of another provider. For other reasons the message says whether the region is still usable
   */
  public static void change(MemoryRegion region, Set<Access> access) {
    if (!(region instanceof VerbsRegion mine)) {
      throw new ProviderException(ProviderException.Reason.INVALID, "the region does not belong to the provider verbs");
    }
    mine.reregister(access);
  }
}
