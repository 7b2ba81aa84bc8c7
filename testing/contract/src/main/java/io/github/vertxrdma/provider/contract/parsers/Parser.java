package io.github.vertxrdma.provider.contract.parsers;

/**
 * @param name also names the corpus
 * @param refusal the one exception by which the parser refuses bytes
 * @param reading reads all content
 * @param cost divides the number of inputs, and multiplies the bound of memory
 */
public record Parser(String name, Class<? extends Exception> refusal, Reading reading, int cost) {
  public Parser(String name, Class<? extends Exception> refusal, Reading reading) {
    this(name, refusal, reading, 1);
  }

  @FunctionalInterface
  public interface Reading {
    void read(byte[] bytes) throws Exception;
  }
}
