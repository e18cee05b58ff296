// A libcurl to link with: the functions that ballot-ping calls, by their names alone. Where it runs it finds the system's.
#define IS_IN_LIBCURL(function) \
  extern "C" void function() {}

IS_IN_LIBCURL(curl_easy_cleanup)
IS_IN_LIBCURL(curl_easy_getinfo)
IS_IN_LIBCURL(curl_easy_init)
IS_IN_LIBCURL(curl_easy_perform)
IS_IN_LIBCURL(curl_easy_setopt)
IS_IN_LIBCURL(curl_easy_strerror)
