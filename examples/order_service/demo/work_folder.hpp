#pragma once

#include <ferry/log.hpp>

#include <filesystem>
#include <string>

namespace shop {

/// Where a run keeps its files. A temporary one goes with it, unless there is something to look at.
class work_folder {
public:
    /// Makes a temporary one when no name is given.
    explicit work_folder(const std::string& name);
    work_folder(const work_folder&) = delete;
    work_folder& operator=(const work_folder&) = delete;
    ~work_folder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// What the buses have to say, in a file of that name.
    [[nodiscard]] ferry::log_function log(const std::string& name) const;
    /// From here on there is something to look at, until the run turns out to be good.
    void keep() { keep_ = true; }
    void let_go() { keep_ = false; }

private:
    std::filesystem::path path_;
    bool is_temporary_ = false;
    bool keep_ = false;
};

} // namespace shop
