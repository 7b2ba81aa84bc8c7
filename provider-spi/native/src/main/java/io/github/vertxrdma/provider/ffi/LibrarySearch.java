package io.github.vertxrdma.provider.ffi;

import java.util.List;
import java.util.Objects;

/**
 * Files and names to load a library from.
 *
 * @param soname name for the dynamic linker, tried last: {@code libfabric.so.1}
 * @param given the user's path or name, tried alone; may be null
 * @param givenBy setting that contains {@code given}, for messages: {@code VERTX_RDMA_LIBFABRIC}
 * @param places files to try first, in order
 * @param remedy how to install the library
 */
public record LibrarySearch(String soname, String given, String givenBy, List<String> places, String remedy) {
  public LibrarySearch {
    Objects.requireNonNull(soname);
    places = List.copyOf(places);
    Objects.requireNonNull(remedy);
  }
}
